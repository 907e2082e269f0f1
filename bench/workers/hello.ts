/** Baseline of a process start: sends one message and exits. */
process.send?.({ hello: true });
process.disconnect?.();
