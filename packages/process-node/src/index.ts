/** The public interface of the process node. */
export {};
