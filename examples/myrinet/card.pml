/*
 * The card with either firmware, LCP or MCP, so that a study can put both on one chart. The statements of LCP that a
 * study gives a cost to are there with MCP too, in a process that never runs.
 */
#define LCP 1
#define MCP 2
#ifndef FIRMWARE
#define FIRMWARE LCP
#endif

#if FIRMWARE == LCP
#include "lcp.pml"
#else
#include "mcp.pml"
proctype lcpTx()
{
fetched: skip;
sent:    skip
}
#endif
