// A small allocator in hardware: keeps 64 blocks, and answers in one clock where the first free run of `want` blocks
// begins. `take` takes that run, `free` gives back `want` blocks from `at`.
module allocator (
    input logic clk,
    input logic reset,
    input logic take,
    input logic free,
    input logic [6:0] want,
    input logic [5:0] at,
    output logic found,
    output logic [5:0] start
);
    logic [63:0] is_free;
    logic [63:0] fits;

    // Bit i is set if `want` blocks from i on are free: an AND of the map with itself, shifted.
    always_comb begin
        fits = is_free;
        for (int shift = 1; shift < 64; shift++)
            if (shift < int'(want)) fits &= is_free >> shift;
        found = (fits != 0) && (want != 0);
        start = 0;
        for (int i = 63; i >= 0; i--)
            if (fits[i]) start = 6'(i);
    end

    function automatic logic [63:0] run(input logic [5:0] first, input logic [6:0] length);
        return ((length == 64) ? '1 : ((64'd1 << length) - 64'd1)) << first;
    endfunction

    always_ff @(posedge clk)
        if (reset) is_free <= '1;
        else if (take && found) is_free <= is_free & ~run(start, want);
        else if (free) is_free <= is_free | run(at, want);
endmodule
