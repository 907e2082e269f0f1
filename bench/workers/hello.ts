/** The least that a process can do: say hello and go. */
process.send?.({ hello: true });
process.disconnect?.();
