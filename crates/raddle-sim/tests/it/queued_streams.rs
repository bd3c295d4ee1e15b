//! When do kernels start on a device where only hardware queues keep them waiting?

/// The first line of a launch table (CSV) of kernels with one workgroup each.
const HEAD: &str = "name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,vgprs_per_thread,\
                    lds_bytes,arrival_ns,start_ns,duration_ns\n";

/// Returns (tick of issue, tick of start, stream) of each kernel. A kernel of `all` is (stream,
/// ticks between its issue and that of the one before, ticks that it lasts). The device takes
/// `launch` ticks from issue to start, and `handover` from the end of what a kernel waits for;
/// `wanted` replaces its number of hardware queues.
pub(crate) fn issued_and_started(
    device: &str,
    wanted: Option<u16>,
    all: &[(usize, u64, u64)],
    (launch, handover): (u64, u64),
) -> Vec<(u64, u64, usize)> {
    let (queues, in_turn) = if device == "h100" { (8, false) } else { (4, true) };
    let queues = wanted.map_or(queues, usize::from);
    let mut queue_of: Vec<usize> = Vec::new();
    let (mut streams, mut ended, mut begun) = ([0; 20], vec![0; queues], vec![0; queues]);
    let mut issued = 0;
    let mut found = Vec::new();
    for (at, &(stream, later, lasts)) in all.iter().enumerate() {
        issued += if at == 0 { 0 } else { later };
        let known = queue_of.iter().position(|&other| other == stream);
        let place = known.unwrap_or_else(|| {
            queue_of.push(stream);
            queue_of.len() - 1
        });
        let queue = place % queues;
        // On AMD a queue goes on when its head has ended, on NVIDIA when it has started.
        let before = streams[stream].max(if in_turn { ended[queue] } else { 0 });
        let after = if before > issued { before + handover } else { 0 };
        let start = (issued + launch).max(after).max(if in_turn { 0 } else { begun[queue] });
        streams[stream] = start + lasts;
        (ended[queue], begun[queue]) = (start + lasts, start);
        found.push((issued, start, stream));
    }
    found
}

/// Returns a launch table (CSV) in which these kernels, of one workgroup each, are recorded.
pub(crate) fn recorded(
    device: &str,
    wanted: Option<u16>,
    all: &[(usize, u64, u64)],
    latency: (u64, u64),
) -> String {
    let mut text = format!("# raddle launch table 1\n# device = {device}\n{HEAD}");
    let times = issued_and_started(device, wanted, all, latency);
    for ((issued, start, stream), (.., lasts)) in times.iter().zip(all) {
        text += &format!("k,{stream},1,1,1,64,1,1,16,0,{issued},{start},{lasts}\n");
    }
    text
}
