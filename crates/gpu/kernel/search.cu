// Breadth-first search that knows no model. Keys are states; a table says what each process does, by the bits that it
// looks at: see src/lib.rs. Compiled twice, for keys of 64 bits and, with -DWIDE, of 128.
//
// A key is kept as itself plus one, so that zero is an empty slot. States are appended to `order` as they are found.
typedef unsigned long long u64;
typedef unsigned int u32;
#ifdef WIDE
typedef unsigned __int128 Key;
#else
typedef u64 Key;
#endif

enum : u32 { EMPTY = 255u << 24, NODE = 254, HOST = 253, FORK = 252, FIRST = (1u << 24) - 1 };

struct Slot {
  Key look;
  u32 node, what;
#ifdef WIDE
  u64 padding;
#endif
};

struct Table {
  const Slot *slots;
  const Key *masks, *flips;
  const u32 *forks;          // lists of nodes, each after its length
  u32 slot_mask, processes;  // after the processes' nodes comes one for states without a step
};

struct States {
  Key *set, *order;
  u64 size;   // slots of the set
  u64 limit;  // of states: beyond it, nothing is expanded
};

struct Counters {
  u64 length;       // states in `order`
  u64 transitions;
  u32 deferred, missing, special, is_full;
};

struct Missing {
  Key key;
  u32 node, padding;
#ifdef WIDE
  u64 more;
#endif
};

struct Requests {
  Missing *missing;
  Key *special;
  u64 *asked;       // a hash of each value that was asked for, so that it is not asked for again and again
  u32 asked_mask, room;
};

__device__ static inline u64 mix(u64 x) {
  x ^= x >> 33; x *= 0xff51afd7ed558ccdULL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL; return x ^ x >> 33;
}

__device__ static inline u64 fold(Key key) {
#ifdef WIDE
  return (u64)key ^ (u64)(key >> 64) * 0xd6e8feb86659fd93ULL;
#else
  return key;
#endif
}

__device__ static inline u64 look_hash(u32 node, Key look) {
  u64 mixed = (fold(look) ^ (u64)node << 40) * 0x9e3779b97f4a7c15ULL;
  return (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ULL;
}

// What a process does in a state; `node` is where its search ends.
__device__ static inline u32 find(const Table &table, u32 &node, Key key) {
  for (;;) {
    Key look = key & table.masks[node];
    u32 what;
    for (u32 at = (u32)(look_hash(node, look) >> 32) & table.slot_mask;; at = (at + 1) & table.slot_mask) {
      Slot slot = table.slots[at];
      what = slot.what;
      if (what == EMPTY || (slot.node == node && slot.look == look)) break;
    }
    if (what >> 24 != NODE) return what;
    node = what & FIRST;
  }
}

#ifdef WIDE
// Both halves at once: half of a key must never be taken for another key.
__device__ static inline Key load(Key *at) {
  u64 low, high;
  asm volatile("{ .reg .b128 whole; ld.relaxed.gpu.global.b128 whole, [%2]; mov.b128 {%0, %1}, whole; }"
               : "=l"(low), "=l"(high) : "l"(at) : "memory");
  return (Key)high << 64 | low;
}
__device__ static inline Key swap(Key *at, Key value) {
  u64 low, high, new_low = (u64)value, new_high = (u64)(value >> 64);
  asm volatile("{ .reg .b128 old, none, whole; mov.b128 none, {%5, %5}; mov.b128 whole, {%3, %4}; "
               "atom.relaxed.gpu.global.cas.b128 old, [%2], none, whole; mov.b128 {%0, %1}, old; }"
               : "=l"(low), "=l"(high) : "l"(at), "l"(new_low), "l"(new_high), "l"(0ULL) : "memory");
  return (Key)high << 64 | low;
}
#else
__device__ static inline Key load(Key *at) { return *(volatile Key *)at; }
__device__ static inline Key swap(Key *at, Key value) { return atomicCAS(at, 0ULL, value); }
#endif

__device__ static inline bool insert(const States &states, Key key) {
  for (u64 at = __umul64hi(mix(fold(key)), states.size);; at = at + 1 == states.size ? 0 : at + 1) {
    Key old = load(&states.set[at]);
    if (old == 0) old = swap(&states.set[at], key + 1);
    if (old == 0) return true;
    if (old == key + 1) return false;
  }
}

// Nanoseconds. A launch ends after so many, so that the host can hear of limits and of interrupts.
__device__ static inline u64 now() {
  u64 time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}
constexpr u64 LONGEST = 100000000;

// Takes a number; threads that do so at the same time take theirs together.
__device__ static inline u64 take(u64 *counter) {
  u32 together = __activemask(), lane = threadIdx.x & 31, leader = __ffs(together) - 1;
  u64 first = 0;
  if (lane == leader) first = atomicAdd(counter, (u64)__popc(together));
  first = __shfl_sync(together, first, leader);
  return first + __popc(together & ((1u << lane) - 1));
}

__device__ static inline void ask(const Requests &requests, Counters *counters, u32 node, Key look, Key key) {
  u64 hash = look_hash(node, look) | 1;
  u32 at = (u32)(hash >> 20) & requests.asked_mask;
  for (u32 tries = 0; tries < 16; tries++, at = (at + 1) & requests.asked_mask) {
    u64 old = atomicCAS(&requests.asked[at], 0ULL, hash);
    if (old == hash) return;
    if (old == 0) break;
  }
  u32 number = atomicAdd(&counters->missing, 1u);
  if (number < requests.room) {
    Missing missing;
    missing.key = key; missing.node = node; missing.padding = 0;
#ifdef WIDE
    missing.more = 0;
#endif
    requests.missing[number] = missing;
  }
}

// Expands states, those of which a bit is set in `todo`; leaves the bits of those that are to be expanded again, because
// something is missing or it takes long. A warp goes through 32 neighbours at a time, which share a word of bits.
extern "C" __global__ void expand(Table table, States states, Requests requests, Counters *counters, u64 first, u32 count,
                                  u32 *todo) {
  u64 transitions = 0, start = now();
  u32 lane = threadIdx.x & 31;
  u32 words = (count + 31) / 32;
  for (u32 word = (blockIdx.x * blockDim.x + threadIdx.x) / 32; word < words; word += gridDim.x * blockDim.x / 32) {
    u32 bits = todo[word];
    if (bits == 0) continue;
    // What lies behind the last state is not to be done.
    if (word == words - 1 && count % 32) bits &= (1u << count % 32) - 1;
    if (__any_sync(0xffffffffu, now() - start > LONGEST)) {
      if (lane == 0) {
        todo[word] = bits;
        atomicAdd(&counters->deferred, (u32)__popc(bits));
      }
      continue;
    }
    u32 i = word * 32 + lane;
    bool again = false;
    if (i < count && bits >> lane & 1) {
      Key key = states.order[first + i];
      u32 edges = 0;
      bool special = false;
      if (*(volatile u64 *)&counters->length >= states.limit) {
        again = true;
        counters->is_full = 1;
      } else {
        for (u32 process = 0; process <= table.processes; process++) {
          if (process == table.processes && (edges || special || again)) break;
          const u32 *branches = nullptr;
          for (u32 left = 1; left; left--) {
            u32 node = branches ? *branches++ : process;
            u32 what = find(table, node, key);
            u32 steps = what >> 24;
            if (what == EMPTY) {
              again = true;
              ask(requests, counters, node, key & table.masks[node], key);
            } else if (steps == FORK) {
              branches = &table.forks[what & FIRST];
              left = *branches++ + 1;
            } else if (steps == HOST) {
              special = true;
            } else {
              edges += steps;
              const Key *flips = &table.flips[what & FIRST];
              for (u32 step = 0; step < steps; step++) {
                Key target = key ^ flips[step];
                if (insert(states, target)) states.order[take(&counters->length)] = target;
              }
            }
          }
        }
      }
      if (again) {
      } else if (special) {
        requests.special[atomicAdd(&counters->special, 1u)] = key;
      } else {
        transitions += edges;
      }
    }
    __syncwarp();
    bits = __ballot_sync(0xffffffffu, again);
    if (lane == 0) {
      todo[word] = bits;
      if (bits) atomicAdd(&counters->deferred, (u32)__popc(bits));
    }
  }
  for (u32 offset = 16; offset; offset /= 2) transitions += __shfl_down_sync(0xffffffffu, transitions, offset);
  if (lane == 0 && transitions) atomicAdd(&counters->transitions, transitions);
}

// Adds keys that the host has found.
extern "C" __global__ void add(States states, Counters *counters, const Key *keys, u32 count) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    if (insert(states, keys[i])) states.order[take(&counters->length)] = keys[i];
  }
}

// Puts all states into a larger set.
extern "C" __global__ void rehash(States states, u64 first, u64 count) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
    insert(states, states.order[first + i]);
  }
}

// Puts new rows into a table.
extern "C" __global__ void fill(Slot *slots, const Slot *rows, const u32 *places, u32 count) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) slots[places[i]] = rows[i];
}

// Finds states with a step to a key, and those of which only the host knows.
extern "C" __global__ void trace(Table table, States states, Requests requests, Counters *counters, u64 first, u32 count,
                                 u64 target_low, u64 target_high) {
#ifdef WIDE
  Key target = (Key)target_high << 64 | target_low;
#else
  Key target = target_low;
#endif
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    Key key = states.order[first + i];
    bool is_one = false;
    u32 edges = 0;
    for (u32 process = 0; process <= table.processes && !is_one; process++) {
      if (process == table.processes && edges) break;
      const u32 *branches = nullptr;
      for (u32 left = 1; left; left--) {
        u32 node = branches ? *branches++ : process;
        u32 what = find(table, node, key);
        u32 steps = what >> 24;
        if (steps == FORK) {
          branches = &table.forks[what & FIRST];
          left = *branches++ + 1;
        } else if (what == EMPTY || steps == HOST) {
          is_one = true;
        } else {
          edges += steps;
          for (u32 step = 0; step < steps; step++) is_one |= (key ^ table.flips[(what & FIRST) + step]) == target;
        }
      }
    }
    if (is_one) requests.special[atomicAdd(&counters->special, 1u)] = key;
  }
}
