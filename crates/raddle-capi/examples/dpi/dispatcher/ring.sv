// The shared memory of a unit as a ring: a part begins at the tail, or at 0 where the blocks up to the end are too few,
// and is reclaimed once all older ones are.
//
// Faults: 6 goes on past the end, 7 takes any part that comes back for the oldest one.
module ring #(
    parameter int BLOCKS = 32
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
    localparam int PARTS = 32;
    // The parts in order, from `oldest` on: where each begins, and whether it has come back.
    logic [7:0] first[PARTS];
    logic [PARTS-1:0] back;
    logic [4:0] oldest;
    logic [5:0] parts;
    logic [7:0] tail, head;

    always_comb begin
        head = first[oldest];
        start = (want == 0) ? 0 : tail;
        if (parts == 0 || tail > head) begin
            fits = int'(tail) + int'(want) <= BLOCKS || fault == 6;
            if (!fits) begin
                start = 0;
                fits = (parts == 0) ? int'(want) <= BLOCKS : want <= head;
            end
        end else fits = tail + want <= head;
        if (int'(parts) == PARTS) fits = 0;
        if (want == 0) fits = 1;
    end

    logic [7:0] first_next[PARTS], tail_next;
    logic [PARTS-1:0] back_next;
    logic [4:0] oldest_next;
    logic [5:0] parts_next;

    always_comb begin
        first_next = first;
        back_next = back;
        oldest_next = oldest;
        parts_next = parts;
        tail_next = tail;
        if (take && want != 0) begin
            first_next[oldest+parts[4:0]] = start;
            back_next[oldest+parts[4:0]] = 0;
            parts_next = parts + 1;
            tail_next = start + want;
        end
        if (give && give_size != 0) begin
            for (int i = 0; i < PARTS; i++)
                if (i < int'(parts) && first[oldest+5'(i)] == give_start && fault != 7) back_next[oldest+5'(i)] = 1;
            if (fault == 7) back_next[oldest] = 1;
            for (int i = 0; i < PARTS; i++)
                if (parts_next != 0 && back_next[oldest_next]) begin
                    oldest_next = oldest_next + 1;
                    parts_next = parts_next - 1;
                end
        end
    end

    always_ff @(posedge clk)
        if (reset) begin
            oldest <= 0;
            parts <= 0;
            tail <= 0;
        end else begin
            first <= first_next;
            back <= back_next;
            oldest <= oldest_next;
            parts <= parts_next;
            tail <= tail_next;
        end
endmodule
