// Does the dispatcher hand out its two units as it must? Random workgroups, small and large ones in turns, whose waves
// end in every order, are held against the checker of placements and against a model of free maps and rings.
//
// `+groups=N` sets the workgroups, `+fault=N` switches a fault of the dispatcher on.
module bench;
    import raddle_pkg::*;

    localparam int Vgpr = 64, Lds = 32, Slots = 8;

    typedef struct packed {
        logic [31:0] workgroup;
        logic [3:0] wave;
        logic [2:0] slot;
    } running_t;

    typedef struct packed {
        logic [31:0] vgpr_start, vgpr, lds_start, lds, left;
    } placed_t;

    logic clk = 0, reset = 1, request = 0;
    logic [31:0] workgroup = 0, start_workgroup, free_workgroup[2];
    logic [3:0] waves = 0, start_wave;
    logic [7:0] vgpr = 0, lds = 0, vgpr_start, lds_start, lds_size, start_vgpr, start_lds;
    logic taken, placed, placed_unit, starts, start_unit;
    logic [2:0] start_slot;
    logic [1:0][2:0] end_slot = 0;
    logic [1:0] ends = 0, free;
    int fault = 0;
    dispatcher #(.VGPR(Vgpr), .LDS(Lds), .SLOTS(Slots)) dut (.*);

    chandle check, maps[2], rings[2];
    // The waves of each unit that run, the workgroups that are placed, and the wave slots that are taken.
    running_t running[2][$];
    placed_t live[2][int unsigned];
    int unsigned used[2] = '{0, 0};
    longint unsigned clock = 0;
    int groups = 100_000, next = 0, waited = 0;

    function automatic void told(int status);
        string text;
        if (status < 0) $fatal(1, "%s", raddle_last_error());
        if (status == FINDING) begin
            void'(raddle_placement_check_text(check, text));
            $fatal(1, "%s", text);
        end
    endfunction

    // Draws the next workgroup: a thousand small ones, then a thousand of every size.
    function automatic void draw();
        bit few = (next / 1000) % 2 == 0;
        numbers_t sizes;
        waves = 4'($urandom_range(few ? 3 : Slots, 1));
        vgpr = 8'($urandom_range(few ? 4 : Vgpr / int'(waves), 1));
        lds = 8'($urandom_range(few ? 6 : Lds, 0));
        workgroup = next;
        next++;
        request = 1;
        sizes = '{64'(vgpr) * 64'(waves), 64'(lds)};
        told(raddle_placement_check_request(check, clock, 64'(workgroup), 64'(waves), sizes, COUNT));
    endfunction

    // Whether the request fits on a unit of the model.
    function automatic bit model_fits(int u);
        int unsigned at;
        int registers = raddle_free_map_find(maps[u], WORST, 32'(vgpr) * 32'(waves), at);
        int memory = raddle_ring_find(rings[u], 32'(lds), at);
        told(registers);
        told(memory);
        return registers == OK && memory == OK && used[u] + 32'(waves) <= Slots;
    endfunction

    function automatic void placement();
        int u = int'(placed_unit);
        int unsigned at;
        numbers_t from = '{64'(vgpr_start), 64'(lds_start)};
        numbers_t sizes = '{64'(vgpr) * 64'(waves), 64'(lds_size)};
        placed_t it = '{32'(vgpr_start), 32'(vgpr) * 32'(waves), 32'(lds_start), 32'(lds), 32'(waves)};
        told(raddle_placement_check_place(
            check, clock, 64'(u), 64'(workgroup), 64'(waves), from, sizes, COUNT));
        if (!model_fits(u)) $fatal(1, "model: workgroup %0d does not fit on unit %0d", workgroup, u);
        if (u != int'(workgroup[0]) && model_fits(int'(workgroup[0])))
            $fatal(1, "model: workgroup %0d is placed on unit %0d, and fits on the other one", workgroup, u);
        told(raddle_free_map_allocate(maps[u], WORST, it.vgpr, at));
        if (at != it.vgpr_start) $fatal(1, "model: registers from %0d, the model has %0d", it.vgpr_start, at);
        told(raddle_ring_allocate(rings[u], it.lds, at));
        if (at != it.lds_start) $fatal(1, "model: shared memory from %0d, the model has %0d", it.lds_start, at);
        used[u] += it.left;
        live[u][workgroup] = it;
    endfunction

    function automatic void wave_start();
        int u = int'(start_unit);
        numbers_t bases = '{64'(start_vgpr), (live[u][start_workgroup].lds == 0) ? '1 : 64'(start_lds)};
        running_t it = '{start_workgroup, start_wave, start_slot};
        running[u].push_back(it);
        told(raddle_placement_check_wave(
            check, clock, 64'(u), 64'(start_workgroup), 64'(start_wave), 64'(start_slot), bases, COUNT));
    endfunction

    // Which wave of each unit ends in this clock.
    int ending[2];

    function automatic void choose_ends();
        logic [1:0] any = 0;
        logic [1:0][2:0] slots = end_slot;
        for (int u = 0; u < 2; u++) begin
            any[u] = running[u].size() > 0 && $urandom_range(99) < 60;
            ending[u] = any[u] ? int'($urandom_range(running[u].size() - 1)) : 0;
            if (any[u]) slots[u] = running[u][ending[u]].slot;
        end
        // As a whole: a process that writes a part of an input is not seen by Verilator 5.006.
        ends = any;
        end_slot = slots;
    endfunction

    function automatic void wave_end(int u);
        running_t it = running[u][ending[u]];
        placed_t part = live[u][it.workgroup];
        running[u].delete(ending[u]);
        told(raddle_placement_check_end(
            check, clock, 64'(u), 64'(it.workgroup), 64'(it.wave), 64'(it.slot)));
        if (free[u]) told(raddle_placement_check_free(check, clock, 64'(u), 64'(free_workgroup[u])));
        used[u]--;
        part.left--;
        live[u][it.workgroup] = part;
        if (free[u] != (part.left == 0))
            $fatal(1, "model: workgroup %0d has %0d waves left, free is %0b", it.workgroup, part.left, free[u]);
        if (part.left == 0) begin
            told(raddle_free_map_release(maps[u], part.vgpr_start, part.vgpr));
            if (part.lds > 0) told(raddle_ring_release(rings[u], part.lds_start));
            live[u].delete(it.workgroup);
        end
    endfunction

    task automatic step();
        bit fits, busy;
        if (!request && next < groups && $urandom_range(99) < 80) draw();
        choose_ends();
        #1;
        busy = starts;
        fits = request && !busy && (model_fits(0) || model_fits(1));
        if (placed) placement();
        if (taken != fits) $fatal(1, "model: workgroup %0d fits is %0b, taken is %0b", workgroup, fits, taken);
        if (request && !fits) waited++;
        if (busy) wave_start();
        for (int u = 0; u < 2; u++) if (ends[u]) wave_end(u);
        fits = taken;
        clk = 1;
        #1 clk = 0;
        if (fits) request = 0;
        clock++;
    endtask

    initial begin
        longint unsigned findings;
        string text;
        void'($value$plusargs("groups=%d", groups));
        void'($value$plusargs("fault=%d", fault));
        told(raddle_placement_check_new(2, Slots, 0, check));
        told(raddle_placement_check_resource(check, "vgpr", Vgpr, PER_WAVE, STARTS_WORST));
        told(raddle_placement_check_resource(check, "lds", Lds, SHARED, STARTS_RING));
        for (int u = 0; u < 2; u++) begin
            told(raddle_free_map_new(Vgpr, maps[u]));
            told(raddle_ring_new(Lds, rings[u]));
        end
        #1 clk = 1;
        #1 clk = 0;
        reset = 0;
        while (next < groups || request || starts || running[0].size() + running[1].size() > 0) step();
        told(raddle_placement_check_finish(check, findings));
        told(raddle_placement_check_text(check, text));
        if (findings > 0) $fatal(1, "%s", text);
        $display("%s%0d clocks, %0d of them with a request that waited", text, clock, waited);
        told(raddle_free(check));
        for (int u = 0; u < 2; u++) begin
            told(raddle_free(maps[u]));
            told(raddle_free(rings[u]));
        end
        $finish;
    end
endmodule
