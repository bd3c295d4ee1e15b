package resource

// #cgo LDFLAGS: -lraddle_capi
// #include <raddle.h>
import "C"

import (
	"fmt"

	"github.com/sarchlab/mgpusim/v4/amd/kernels"
)

// Held is a compute unit that raddle's allocator is asked beside: where they differ, it panics.
type Held struct {
	CUResource
	allocator *C.RaddleAllocator
	rotation  C.uint8_t
	numbers   map[*kernels.WorkGroup]C.uint64_t
	next      C.uint64_t
}

// NewHeld wraps what the pool made of a compute unit.
func NewHeld(inner CUResource, cu DispatchableCU) *Held {
	h := &Held{CUResource: inner, numbers: map[*kernels.WorkGroup]C.uint64_t{}}
	shape := C.RaddleCuShape{
		simds: C.uint8_t(len(cu.WfPoolSizes())), waves_per_simd: C.uint16_t(cu.WfPoolSizes()[0]),
		vgpr_per_simd: C.uint16_t(cu.VRegCounts()[0] / 64 / 4), sgpr: C.uint16_t(cu.SRegCount() / 16),
		lds: C.uint32_t(cu.LDSBytes() / 256), workgroups: 65535, barriers: 65535,
	}
	if C.raddle_allocator_new(&shape, 1, &h.allocator) < 0 {
		panic(C.GoString(C.raddle_last_error()))
	}
	return h
}

// ReserveResourceForWG reserves in both.
func (h *Held) ReserveResourceForWG(wg *kernels.WorkGroup) ([]WfLocation, bool) {
	locations, ok := h.CUResource.ReserveResourceForWG(wg)
	units := func(amount, size int) int { return (amount + size - 1) / size }
	co := wg.CodeObject
	demand := C.RaddleDemand{
		waves: C.uint16_t(len(wg.Wavefronts)), vgpr: C.uint16_t(units(int(co.WIVgprCount), 4)),
		sgpr: C.uint16_t(units(int(co.WFSgprCount), 16)), lds: C.uint32_t(units(int(co.GroupSegmentByteSize), 256)),
	}
	places := make([]C.RaddlePlace, len(wg.Wavefronts))
	var placement C.RaddlePlacement
	status := C.raddle_allocator_allocate(h.allocator, 0, &demand, C.int32_t(h.rotation), 0, h.next,
		&placement, &places[0], C.size_t(len(places)))
	h.rotation = placement.rotation
	if status < 0 || ok != (status == C.RADDLE_STATUS_OK) {
		panic(fmt.Sprintf("work-group %d is placed: %v, raddle answers %d", h.next, ok, status))
	}
	for i, at := range locations {
		p := places[i]
		want := WfLocation{at.Wavefront, int(p.simd), int(p.vgpr) * 16, int(p.sgpr) * 64, int(p.lds) * 256}
		if at != want {
			panic(fmt.Sprintf("wave %d of work-group %d lies at %v, raddle has %v", i, h.next, at, want))
		}
	}
	if ok {
		h.numbers[wg] = h.next
		h.next++
	}
	return locations, ok
}

// FreeResourcesForWG frees in both.
func (h *Held) FreeResourcesForWG(wg *kernels.WorkGroup) {
	h.CUResource.FreeResourcesForWG(wg)
	if C.raddle_allocator_release(h.allocator, 0, 0, h.numbers[wg]) < 0 {
		panic(C.GoString(C.raddle_last_error()))
	}
	delete(h.numbers, wg)
}
