/** The public interface of the etcd operator. */
export * from './client/etcd/contract.ts';
export { EtcdError, isEtcdError } from './client/etcd/error.ts';
export { connectGateway } from './client/etcd/gateway.ts';
