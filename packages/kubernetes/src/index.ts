/** The public interface of the Kubernetes client. */
export {};
