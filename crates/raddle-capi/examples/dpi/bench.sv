// Does the allocator in hardware answer as the model in every clock? Both get the same random requests.
module bench;
    import raddle_pkg::*;

    localparam int Clocks = 10_000;

    logic clk = 0, reset = 1, take = 0, free = 0, found;
    logic [6:0] want = 0;
    logic [5:0] at = 0, start;
    allocator dut (.*);

    chandle map;
    // The runs that are taken: where each begins, and how long it is.
    int unsigned starts[$], lengths[$];
    int refused = 0;

    task automatic check(input int status);
        if (status < 0) $fatal(1, "%s", raddle_last_error());
    endtask

    task automatic tick();
        #1 clk = 1;
        #1 clk = 0;
    endtask

    task automatic request();
        int unsigned model;
        int status;
        want = 7'($urandom_range(24, 1));
        take = 1;
        #1 status = raddle_free_map_find(map, FIRST, 32'(want), model);
        check(status);
        if (found != (status == OK)) $fatal(1, "%0d blocks: found is %0b, the model answers %0d", want, found, status);
        if (found && 32'(start) != model) $fatal(1, "%0d blocks: start is %0d, the model has %0d", want, start, model);
        if (found) begin
            check(raddle_free_map_take(map, model, 32'(want)));
            starts.push_back(model);
            lengths.push_back(32'(want));
        end else refused++;
        tick();
        take = 0;
    endtask

    task automatic give_back();
        int which = $urandom_range(starts.size() - 1);
        at = 6'(starts[which]);
        want = 7'(lengths[which]);
        check(raddle_free_map_release(map, starts[which], lengths[which]));
        starts.delete(which);
        lengths.delete(which);
        free = 1;
        tick();
        free = 0;
    endtask

    initial begin
        check(raddle_free_map_new(64, map));
        tick();
        reset = 0;
        for (int clock = 0; clock < Clocks; clock++)
            if (starts.size() > 0 && $urandom_range(99) < 48) give_back();
            else request();
        check(raddle_free(map));
        $display("%0d clocks equal, %0d requests refused", Clocks, refused);
        $finish;
    end
endmodule
