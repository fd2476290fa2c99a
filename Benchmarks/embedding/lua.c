/* What crossing between C and Lua 5.4 costs, for comparison with host/main.swift:
   cc -O2 lua.c -I/usr/include/lua5.4 -llua5.4 -o lua-embedding && ./lua-embedding */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int add(lua_State *L) {
  lua_pushinteger(L, luaL_checkinteger(L, 1) + 4);
  return 1;
}

static double celsius = 20;
static int get(lua_State *L) {
  luaL_checkudata(L, 1, "model");
  lua_pushnumber(L, celsius);
  return 1;
}

#define MEASURE(name, count, body)                                   \
  do {                                                               \
    double best = 1e300;                                             \
    for (int run = 0; run < 5; run++) {                              \
      double start = now();                                          \
      const int n = (count);                                         \
      body;                                                          \
      double each = (now() - start) / n;                             \
      if (each < best) best = each;                                  \
    }                                                                \
    printf("| %s | %.1f ns |\n", name, best);                        \
  } while (0)

static void check(lua_State *L, lua_Integer wanted) {
  if (lua_tointeger(L, -1) != wanted) exit(1);
  lua_pop(L, 1);
}

static void loop(lua_State *L, const char *name, int n) {
  lua_getglobal(L, name);
  lua_pushinteger(L, n);
  if (lua_pcall(L, 1, 0, 0)) exit(1);
}

int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_register(L, "add", add);
  lua_newuserdatauv(L, 8, 0);
  luaL_newmetatable(L, "model");
  lua_newtable(L);
  lua_pushcfunction(L, get);
  lua_setfield(L, -2, "celsius");
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setglobal(L, "model");
  if (luaL_dostring(L, "function empty(n) for i = 1, n do end end "
                       "function calls(n) for i = 1, n do add(i) end end "
                       "function reads(n) for i = 1, n do model:celsius() end end "
                       "function plus(x) return x + 4 end"))
    return 1;
  printf("| C and Lua | one |\n|---|---|\n");
  MEASURE("evaluate(\"return 3 + 4\")", 100000, for (int i = 0; i < n; i++) {
    if (luaL_dostring(L, "return 3 + 4")) exit(1);
    check(L, 7);
  });
  MEASURE("a function called from C", 1000000, for (int i = 0; i < n; i++) {
    lua_getglobal(L, "plus");
    lua_pushinteger(L, 3);
    if (lua_pcall(L, 1, 1, 0)) exit(1);
    check(L, 7);
  });
  MEASURE("an empty turn of a loop", 10000000, loop(L, "empty", n));
  MEASURE("a function of C called from a script, with the turn", 2000000, loop(L, "calls", n));
  MEASURE("a method of a userdata, with the turn", 2000000, loop(L, "reads", n));
  MEASURE("a new interpreter", 2000, for (int i = 0; i < n; i++) {
    lua_State *other = luaL_newstate();
    luaL_openlibs(other);
    lua_close(other);
  });
  return 0;
}
