// The free blocks of a unit as a list of holes. `start` is that of the longest hole, the lowest of several (worst
// fit); `fits` says that it is long enough. Two holes that meet become one.
//
// Faults: 1 does not shorten the hole, 2 takes the lowest hole that fits, 3 takes the highest of several longest ones,
// 4 does not join a hole with the one below it, 5 shows the whole unit as free once it is full.
module holes #(
    parameter int BLOCKS = 64,
    parameter int HOLES = 12
) (
    input logic clk,
    input logic reset,
    input int fault,
    input logic [7:0] want,
    input logic take,
    input logic give,
    input logic [7:0] give_start,
    input logic [7:0] give_size,
    output logic fits,
    output logic [7:0] start
);
    logic [7:0] first[HOLES], length[HOLES];
    int chosen;

    always_comb begin
        chosen = 0;
        for (int i = 1; i < HOLES; i++) begin
            if (fault == 2) begin
                if (length[i] >= want && length[i] != 0 && (length[chosen] < want || first[i] < first[chosen])) chosen = i;
            end else if (length[i] > length[chosen]) chosen = i;
            else if (length[i] == length[chosen] && (first[i] < first[chosen]) != (fault == 3)) chosen = i;
        end
        fits = length[chosen] >= want;
        start = (want == 0) ? 0 : first[chosen];
    end

    // What is taken leaves the chosen hole; what comes back joins the hole below it, the one above it, both or none.
    logic [7:0] first_next[HOLES], length_next[HOLES], at, size;
    int below, above, empty;

    always_comb begin
        first_next = first;
        length_next = length;
        at = give_start;
        size = give_size;
        below = HOLES;
        above = HOLES;
        empty = HOLES;
        if (take && want != 0 && fault != 1) begin
            first_next[chosen] = first[chosen] + want;
            length_next[chosen] = (fault == 5 && want == 8'(BLOCKS)) ? want : length[chosen] - want;
        end
        if (give && size != 0) begin
            for (int i = 0; i < HOLES; i++)
                if (length_next[i] == 0) empty = i;
                else if (first_next[i] + length_next[i] == at && fault != 4) below = i;
                else if (first_next[i] == at + size) above = i;
            if (below < HOLES) begin
                at = first_next[below];
                size = size + length_next[below];
                length_next[below] = 0;
                empty = below;
            end
            if (above < HOLES) begin
                size = size + length_next[above];
                length_next[above] = 0;
                empty = above;
            end
            if (empty < HOLES) begin
                first_next[empty] = at;
                length_next[empty] = size;
            end
        end
    end

    always_ff @(posedge clk)
        if (reset)
            for (int i = 0; i < HOLES; i++) begin
                first[i] <= 0;
                length[i] <= (i == 0) ? 8'(BLOCKS) : 0;
            end
        else begin
            first <= first_next;
            length <= length_next;
        end
endmodule
