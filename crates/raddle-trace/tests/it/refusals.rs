//! What does an import say of a file that is none of its kinds? One table; a person reads its diff.
//!
//! Each message names what the file is, who wrote it, and one command that gives something readable.
#![cfg(all(feature = "sqlite", feature = "xplane"))]

use std::fmt::Write;

use raddle_trace::{ImportConfig, read};

/// Lists files of many kinds that are no profiles, as (name, bytes).
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let tar = [[b'a'; 257].as_slice(), b"ustar\x0000", &[0; 250]].concat();
    let utf16: Vec<u8> =
        "\u{feff}Kind,Agent_Id\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut files: Vec<(&str, Vec<u8>)> = vec![
        ("empty.json", Vec::new()),
        ("pointer.json", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n".into()),
        ("trace.zip", b"PK\x03\x04\x14\0".into()),
        ("trace.json.zst", b"\x28\xb5\x2f\xfd\x24\0".into()),
        ("trace.json.xz", b"\xfd7zXZ\0\0".into()),
        ("trace.json.bz2", b"BZh91AY&SY".into()),
        ("page.json", b"<!DOCTYPE html><html>".into()),
        ("traces.tar", tar),
        ("table.csv", utf16),
        ("report.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".into()),
        ("report.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF".into()),
        ("report.pdf", b"%PDF-1.7\n".into()),
        (
            "summary.json",
            b"{\"schema\":1,\"raddle\":\"0.1.0\",\"device\":{},\"profiles\":[]}".into(),
        ),
        ("mine.toml", b"# mine\nraddle = 1\n".into()),
        (
            "timeline.perfetto-trace",
            b"\n\x16b\x12\n\x09\x08\x01\x12\x05train\x12\x05\x08\x01\x12\x01k\x68\x01".into(),
        ),
        ("run.nsys-rep", b"\0\x01\x02report".into()),
        ("run.ncu-rep", b"NVR\0\x10\0\0\0".into()),
        (
            "ncu.csv",
            b"\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Section Name\"\n".into(),
        ),
        ("ncu.txt", b"==PROF== Connected to process 7 (app)\n".into()),
        ("kernels.parquet", b"PAR1\x15\x04".into()),
        ("kernels.arrow", b"ARROW1\0\0".into()),
        ("run.h5", b"\x89HDF\r\n\x1a\n\0".into()),
        ("run.jsonl", b"{\"TargetInfoGpu\":{\"id\":0}}\n{\"CudaEvent\":{}}\n".into()),
        ("run.pftrace", b"\n\x0a\x50\x01\x32\x06\x08\x06\x10\x01\x18\x02".into()),
        ("run_results.otf2", b"\x01\x00\x00\x00trace".into()),
        ("snapshot.pickle", b"\x80\x04\x95\x10\0".into()),
        ("tpu.xplane.pb", b"\n\x11\x08\x01\x12\x0d/device:TPU:0".into()),
        ("host.xplane.pb", b"\n\x10\x12\x0e/host:metadata".into()),
        ("notes.txt", b"hello, this is a text\n".into()),
    ];
    for (name, events) in [
        (
            "xpu.json",
            r#"{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":{}},{"ph":"X","cat":"xpu_runtime","name":"urEnqueue","ts":0,"dur":1}"#,
        ),
        ("mtia.json", r#"{"ph":"X","cat":"mtia_ccp_events","name":"k","ts":1,"dur":1}"#),
        ("hpu.json", r#"{"ph":"X","cat":"hpu_op","name":"k","ts":1,"dur":1}"#),
        ("cpu.json", r#"{"ph":"X","cat":"cpu_op","name":"aten::add","ts":1,"dur":1}"#),
        ("tpu.json", r#"{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:TPU:0"}}"#),
    ] {
        files.push((name, format!("{{\"traceEvents\":[{events}]}}").into_bytes()));
    }
    for (name, sql) in [
        ("notes.sqlite", "CREATE TABLE notes (a)"),
        ("nvprof.sqlite", "CREATE TABLE StringTable (a)"),
        ("empty.db", "CREATE TABLE rocpd_info_agent_0 (id)"),
        ("empty.rpd", "CREATE TABLE rocpd_op (id)"),
        ("empty.sqlite", "CREATE TABLE TARGET_INFO_GPU (id)"),
    ] {
        let mut connection = rusqlite::Connection::open_in_memory().expect("memory");
        connection.execute_batch(sql).expect(sql);
        files.push((name, connection.serialize("main").expect("bytes").to_vec()));
    }
    for (name, header) in [
        (
            "sysinfo.csv",
            "workload_name,command,ip_blocks,timestamp,version,hostname,cpu_model,sbios,gpu_arch",
        ),
        (
            "pmc_perf.csv",
            "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_WAVES",
        ),
        ("pmc_dispatch_info.csv", "Dispatch_ID,Kernel_Name,GPU_ID"),
        (
            "hip_api_trace.csv",
            "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp",
        ),
        ("azure.csv", "TIMESTAMP,ContextTokens,GeneratedTokens"),
    ] {
        files.push((name, format!("{header}\n1,2,3\n").into_bytes()));
    }
    files
}

#[test]
fn a_table_of_wrong_files() {
    let mut table = String::new();
    for (name, bytes) in files() {
        let error = read(name, bytes.as_slice(), &ImportConfig::default()).expect_err(name);
        let message = error.to_string();
        assert!(message.starts_with(name), "{message}");
        writeln!(table, "{message}").expect("a string takes it");
    }
    insta::assert_snapshot!(table);
}
