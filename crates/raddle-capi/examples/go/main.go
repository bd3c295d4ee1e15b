// Where do workgroups lie? The allocator of raddle from Go, through cgo.
//
//	CGO_CFLAGS=-I../../include CGO_LDFLAGS="-L../../../../target/release -lraddle_capi" go run main.go
package main

/*
#include <raddle.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// status runs a call, and returns its status, or the error that raddle tells. The text belongs to the thread of the
// call, so the goroutine stays on its thread until the text is copied.
func status(call func() C.RaddleStatus) (C.RaddleStatus, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	got := call()
	if got < 0 {
		return got, errors.New(C.GoString(C.raddle_last_error()))
	}
	return got, nil
}

func run() error {
	shape := C.RaddleCuShape{simds: 4, waves_per_simd: 10, vgpr_per_simd: 64, sgpr: 200, lds: 256, workgroups: 40,
		barriers: 32}
	demand := C.RaddleDemand{waves: 4, vgpr: 16, sgpr: 4, lds: 64, barriers: 1}
	const cus = 2
	var allocator *C.RaddleAllocator
	if _, err := status(func() C.RaddleStatus { return C.raddle_allocator_new(&shape, cus, &allocator) }); err != nil {
		return err
	}
	defer C.raddle_free(unsafe.Pointer(allocator))

	// Each workgroup goes to the lowest compute unit with room.
	var workgroup C.uint64_t
	for cu := C.uint16_t(0); cu < cus; {
		var placement C.RaddlePlacement
		var places [4]C.RaddlePlace
		got, err := status(func() C.RaddleStatus {
			return C.raddle_allocator_allocate(allocator, cu, &demand, -1, 7, workgroup, &placement, &places[0], 4)
		})
		switch {
		case err != nil:
			return err
		case got == C.RADDLE_STATUS_REFUSED:
			fmt.Printf("unit %d lacks resource %d\n", cu, placement.lacks)
			cu++
		default:
			fmt.Printf("workgroup %d on unit %d: LDS from %d, registers from %d\n", workgroup, cu, places[0].lds,
				places[0].vgpr)
			workgroup++
		}
	}

	// A wrong call has a text.
	_, err := status(func() C.RaddleStatus { return C.raddle_allocator_release(allocator, 0, 7, 99) })
	fmt.Println(err)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
