/** The public interface of the API server. */
export {};
