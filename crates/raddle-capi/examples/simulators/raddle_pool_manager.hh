#include <map>
#include <vector>

#include <raddle.h>

#include "base/logging.hh"
#include "gpu-compute/pool_manager.hh"
#include "params/RaddlePoolManager.hh"

namespace gem5
{
// A pool of registers that is raddle's free map, by one of RaddleFit.
class RaddlePoolManager : public PoolManager
{
  public:
    RaddlePoolManager(const RaddlePoolManagerParams &p) : PoolManager(p), fit(p.fit) { resetRegion(poolSize()); }
    ~RaddlePoolManager() { raddle_free(map); }

    void
    resetRegion(const int &regsPerSimd) override
    {
        raddle_free(map);
        sizes.clear();
        checked(raddle_free_map_new(regsPerSimd / minAllocation(), &map));
    }
    bool
    canAllocate(uint32_t numRegions, uint32_t size) override
    {
        // Taken and given back: what fits depends on where the ones before lie.
        std::vector<uint32_t> starts;
        uint32_t start;
        while (starts.size() < numRegions && checked(raddle_free_map_allocate(map, fit, blocks(size), &start)) == RADDLE_STATUS_OK)
            starts.push_back(start);
        for (uint32_t start : starts)
            checked(raddle_free_map_release(map, start, blocks(size)));
        return starts.size() == numRegions;
    }
    uint32_t
    allocateRegion(const uint32_t size, uint32_t *reserved) override
    {
        uint32_t start;
        if (checked(raddle_free_map_allocate(map, fit, blocks(size), &start)) != RADDLE_STATUS_OK)
            panic("%u registers do not fit: ask canAllocate first\n", size);
        *reserved = blocks(size) * minAllocation();
        sizes[start] = blocks(size);
        return start * minAllocation();
    }
    void
    freeRegion(uint32_t firstIdx, uint32_t) override
    {
        uint32_t start = firstIdx / minAllocation();
        checked(raddle_free_map_release(map, start, sizes[start]));
        sizes.erase(start);
    }
    uint32_t regionSize(std::pair<uint32_t, uint32_t> &region) override { return region.second - region.first + 1; }
    std::string
    printRegion() override
    {
        RaddleFreeBlocks left;
        checked(raddle_free_map_count(map, &left));
        return std::to_string(left.free) + " of " + std::to_string(left.blocks) + " blocks free\n";
    }

  private:
    uint32_t blocks(uint32_t size) { return (size + minAllocation() - 1) / minAllocation(); }
    RaddleStatus
    checked(RaddleStatus status)
    {
        if (status < 0)
            panic("%s\n", raddle_last_error());
        return status;
    }

    RaddleFreeMap *map = nullptr;
    uint32_t fit;
    std::map<uint32_t, uint32_t> sizes;
};
} // namespace gem5
