// A compute unit: the holes of its registers, the ring of its shared memory, and its wave slots, each with the workgroup
// that runs there. A workgroup gives its parts back when its last wave ends.
//
// Faults: 8 forgets a wave slot when it counts those that are free, 9 frees a workgroup when its last wave but one ends,
// 10 frees it once more when another wave ends in the next clock, 11 gives a slot away in the clock before it is free.
module unit #(
    parameter int VGPR = 64,
    parameter int LDS = 32,
    parameter int SLOTS = 8
) (
    input logic clk,
    input logic reset,
    input int fault,
    // A workgroup asks for waves, registers and shared memory; `place` books them.
    input logic [3:0] waves,
    input logic [7:0] vgpr,
    input logic [7:0] lds,
    input logic [31:0] workgroup,
    input logic place,
    output logic fits,
    output logic [7:0] vgpr_start,
    output logic [7:0] lds_start,
    // A wave of the workgroup that was placed last starts in the lowest free slot.
    input logic start,
    output logic [2:0] slot,
    // The wave in a slot ends.
    input logic ends,
    input logic [2:0] end_slot,
    // A workgroup leaves.
    output logic free,
    output logic [31:0] free_workgroup
);
    // A workgroup of the unit; `left` are its waves that have not ended.
    logic [31:0] id[SLOTS];
    logic [7:0] vgpr_at[SLOTS], vgpr_size[SLOTS], lds_at[SLOTS], lds_size[SLOTS];
    logic [3:0] left[SLOTS];
    // The workgroup of each wave slot.
    logic [SLOTS-1:0] busy;
    logic [2:0] owner[SLOTS];
    logic [3:0] used;
    logic [2:0] entry, last_entry, ending, leaving, left_last;
    logic vgpr_fits, lds_fits, again, again_free;

    holes #(.BLOCKS(VGPR)) registers (
        .clk, .reset, .fault, .want(vgpr), .take(place), .give(free), .give_start(vgpr_at[leaving]),
        .give_size(vgpr_size[leaving]), .fits(vgpr_fits), .start(vgpr_start));
    ring #(.BLOCKS(LDS)) memory (
        .clk, .reset, .fault, .want(lds), .take(place), .give(free), .give_start(lds_at[leaving]),
        .give_size(lds_size[leaving]), .fits(lds_fits), .start(lds_start));

    always_comb begin
        entry = 0;
        for (int i = SLOTS - 1; i >= 0; i--) if (left[i] == 0) entry = 3'(i);
        slot = 0;
        for (int i = SLOTS - 1; i >= 0; i--)
            if (!busy[i] || (fault == 11 && ends && end_slot == 3'(i))) slot = 3'(i);
        fits = vgpr_fits && lds_fits && int'(used) + int'(waves) <= SLOTS + ((fault == 8) ? 1 : 0);
        ending = owner[end_slot];
        free = ends && left[ending] == ((fault == 9 && again) ? 2 : 1);
        leaving = ending;
        if (fault == 10 && ends && !free && again_free) begin
            free = 1;
            leaving = left_last;
        end
        free_workgroup = id[leaving];
    end

    always_ff @(posedge clk)
        if (reset) begin
            busy <= 0;
            used <= 0;
            again <= 0;
            again_free <= 0;
            for (int i = 0; i < SLOTS; i++) left[i] <= 0;
        end else begin
            again <= ends;
            again_free <= free;
            left_last <= leaving;
            used <= used + (place ? waves : 0) - 4'(ends);
            if (place) begin
                id[entry] <= workgroup;
                vgpr_at[entry] <= vgpr_start;
                vgpr_size[entry] <= vgpr;
                lds_at[entry] <= lds_start;
                lds_size[entry] <= lds;
                left[entry] <= waves;
                last_entry <= entry;
            end
            if (ends) begin
                busy[end_slot] <= 0;
                left[ending] <= left[ending] - 1;
            end
            if (start) begin
                busy[slot] <= 1;
                owner[slot] <= last_entry;
            end
        end
endmodule
