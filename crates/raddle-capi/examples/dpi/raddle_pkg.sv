// The functions of raddle.h that a test bench of SystemVerilog imports by DPI-C. A handle is a chandle, a pointer to
// a number an output, a status an int. Further functions are imported in the same way; those that take structs are
// called from a few lines of C.
package raddle_pkg;
    // No bench uses all of them.
    /* verilator lint_off UNUSEDPARAM */
    localparam int OK = 0;
    localparam int FINDING = 3;
    // Of RaddleFit.
    localparam int FIRST = 0;
    localparam int WORST = 2;
    // Of RaddleShare and RaddleStartRule.
    localparam int PER_WAVE = 0, SHARED = 1;
    localparam int STARTS_WORST = 3, STARTS_RING = 5;

    import "DPI-C" function string raddle_last_error();
    import "DPI-C" function int raddle_free(input chandle handle);
    import "DPI-C" function int raddle_free_map_new(input int unsigned blocks, output chandle handle);
    import "DPI-C" function int raddle_free_map_find(
        input chandle handle, input int unsigned fit, input int unsigned want, output int unsigned start);
    import "DPI-C" function int raddle_free_map_allocate(
        input chandle handle, input int unsigned fit, input int unsigned want, output int unsigned start);
    import "DPI-C" function int raddle_free_map_take(
        input chandle handle, input int unsigned start, input int unsigned len);
    import "DPI-C" function int raddle_free_map_release(
        input chandle handle, input int unsigned start, input int unsigned len);

    import "DPI-C" function int raddle_ring_new(input int unsigned blocks, output chandle handle);
    import "DPI-C" function int raddle_ring_find(input chandle handle, input int unsigned want, output int unsigned start);
    import "DPI-C" function int raddle_ring_allocate(
        input chandle handle, input int unsigned want, output int unsigned start);
    import "DPI-C" function int raddle_ring_release(input chandle handle, input int unsigned start);

    // Resources of a unit, for which every event of a check has a number.
    localparam int RESOURCES = 2;
    localparam longint unsigned COUNT = 2;
    typedef longint unsigned numbers_t[RESOURCES];

    import "DPI-C" function int raddle_placement_check_new(
        input int unsigned units, input int unsigned wave_slots, input longint unsigned lag, output chandle handle);
    import "DPI-C" function int raddle_placement_check_resource(
        input chandle handle, input string name, input int unsigned blocks, input int unsigned share,
        input int unsigned starts);
    import "DPI-C" function int raddle_placement_check_request(
        input chandle handle, input longint unsigned clock, input longint unsigned workgroup,
        input longint unsigned waves, input numbers_t sizes, input longint unsigned count);
    import "DPI-C" function int raddle_placement_check_place(
        input chandle handle, input longint unsigned clock, input longint unsigned unit_number,
        input longint unsigned workgroup, input longint unsigned waves, input numbers_t starts, input numbers_t sizes,
        input longint unsigned count);
    import "DPI-C" function int raddle_placement_check_wave(
        input chandle handle, input longint unsigned clock, input longint unsigned unit_number,
        input longint unsigned workgroup, input longint unsigned wave, input longint unsigned tag, input numbers_t bases,
        input longint unsigned count);
    import "DPI-C" function int raddle_placement_check_end(
        input chandle handle, input longint unsigned clock, input longint unsigned unit_number,
        input longint unsigned workgroup, input longint unsigned wave, input longint unsigned tag);
    import "DPI-C" function int raddle_placement_check_free(
        input chandle handle, input longint unsigned clock, input longint unsigned unit_number,
        input longint unsigned workgroup);
    import "DPI-C" function int raddle_placement_check_finish(input chandle handle, output longint unsigned findings);
    import "DPI-C" function int raddle_placement_check_text(input chandle handle, output string text);
endpackage
