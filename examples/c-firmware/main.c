/* Which blocks does a free map of raddle-bitmap hand out to C? */
#include <stdint.h>
#include <stdio.h>

struct map;
struct map *map_new(uint32_t blocks);
int64_t map_take(struct map *map, uint32_t want);
int32_t map_release(struct map *map, uint32_t start, uint32_t blocks);

int main(void) {
    struct map *map = map_new(64);
    int64_t first = map_take(map, 40), second = map_take(map, 30);
    int32_t back = map_release(map, 0, 40), again = map_release(map, 0, 40);
    /* The heap has no room for it. */
    struct map *large = map_new(4000000000u);
    printf("%lld %lld %d %d %lld %s\n", (long long)first, (long long)second, back, again,
           (long long)map_take(map, 30), large ? "large" : "null");
    return map == 0 || large != 0;
}
