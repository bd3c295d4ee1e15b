// A dispatcher for two units. A request waits until it fits; it looks first at the unit that its number names (modulo
// two), then at the other one. In the clock of `placed` its parts are booked, in the clocks after it its waves start.
//
// Faults: 12 takes the other unit for the one that was looked at first (if only the other one fits), 13 counts the base
// of a wave in whole parts, 14 loses a request that comes while a wave ends, 15 books one block of shared memory less.
module dispatcher #(
    parameter int VGPR = 64,
    parameter int LDS = 32,
    parameter int SLOTS = 8
) (
    input logic clk,
    input logic reset,
    input int fault,
    input logic request,
    input logic [31:0] workgroup,
    input logic [3:0] waves,
    // Registers of a wave, and shared memory of the workgroup, in blocks.
    input logic [7:0] vgpr,
    input logic [7:0] lds,
    // The request is taken; the next one may come.
    output logic taken,
    output logic placed,
    output logic placed_unit,
    output logic [7:0] vgpr_start,
    output logic [7:0] lds_start,
    output logic [7:0] lds_size,
    // A wave starts.
    output logic starts,
    output logic start_unit,
    output logic [31:0] start_workgroup,
    output logic [3:0] start_wave,
    output logic [2:0] start_slot,
    output logic [7:0] start_vgpr,
    output logic [7:0] start_lds,
    // Waves end, at most one of each unit.
    input logic [1:0] ends,
    input logic [1:0][2:0] end_slot,
    // Workgroups leave.
    output logic [1:0] free,
    output logic [31:0] free_workgroup[2]
);
    logic [1:0] fits, place, start;
    logic [7:0] unit_vgpr[2], unit_lds[2], total;
    logic [2:0] unit_slot[2];
    logic first, found;
    // The workgroup whose waves start.
    logic [3:0] wave, last;
    logic [7:0] share;

    assign total = vgpr * 8'(waves);
    assign lds_size = (fault == 15 && lds == 5) ? 4 : lds;

    for (genvar i = 0; i < 2; i++) begin : units
        unit #(.VGPR(VGPR), .LDS(LDS), .SLOTS(SLOTS)) unit (
            .clk, .reset, .fault, .waves, .vgpr(total), .lds(lds_size), .workgroup, .place(place[i]), .fits(fits[i]),
            .vgpr_start(unit_vgpr[i]), .lds_start(unit_lds[i]), .start(start[i]), .slot(unit_slot[i]), .ends(ends[i]),
            .end_slot(end_slot[i]), .free(free[i]), .free_workgroup(free_workgroup[i]));
    end

    always_comb begin
        first = workgroup[0];
        found = request && !starts && (fits != 0);
        placed_unit = fits[first] ? first : ~first;
        if (fault == 12 && !fits[first]) placed_unit = first;
        placed = found;
        taken = found;
        if (fault == 14 && found && ends == 3) placed = 0;
        place = 0;
        place[placed_unit] = placed;
        vgpr_start = unit_vgpr[placed_unit];
        lds_start = unit_lds[placed_unit];
        start = 0;
        start[start_unit] = starts;
        start_slot = unit_slot[start_unit];
        start_wave = wave;
    end

    always_ff @(posedge clk) begin
        if (reset) starts <= 0;
        else if (placed) begin
            starts <= 1;
            start_unit <= placed_unit;
            start_workgroup <= workgroup;
            start_vgpr <= vgpr_start;
            start_lds <= lds_start;
            wave <= 0;
            last <= waves - 1;
            share <= (fault == 13 && waves == 3) ? total : vgpr;
        end else if (starts) begin
            starts <= wave != last;
            wave <= wave + 1;
            start_vgpr <= start_vgpr + share;
        end
    end
endmodule
