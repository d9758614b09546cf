/*
 * A pipeline of two stages, such as a DMA engine that loads packets and another that sends them, with SIZE buffers
 * between them. A stage works on the buffer it has: a packet that is being sent still occupies its own.
 *
 * Shows: with one buffer the stages take turns, with two they overlap.
 */
#ifndef SIZE
#define SIZE 2
#endif

byte waiting;                           /* buffers that are full */

active proctype load() { do :: waiting < SIZE -> loaded: waiting++ od }
active proctype send() { do :: waiting > 0 -> sent: waiting-- od }
