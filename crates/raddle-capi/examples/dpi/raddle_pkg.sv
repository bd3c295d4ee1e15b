// The functions of raddle.h that a test bench of SystemVerilog imports by DPI-C. A handle is a chandle, a pointer to
// a number an output, a status an int. Further functions are imported in the same way; those that take structs are
// called from a few lines of C.
package raddle_pkg;
    localparam int OK = 0;
    localparam int FIRST = 0;

    import "DPI-C" function string raddle_last_error();
    import "DPI-C" function int raddle_free(input chandle handle);
    import "DPI-C" function int raddle_free_map_new(input int unsigned blocks, output chandle handle);
    import "DPI-C" function int raddle_free_map_find(
        input chandle handle, input int unsigned fit, input int unsigned want, output int unsigned start);
    import "DPI-C" function int raddle_free_map_take(
        input chandle handle, input int unsigned start, input int unsigned len);
    import "DPI-C" function int raddle_free_map_release(
        input chandle handle, input int unsigned start, input int unsigned len);
endpackage
