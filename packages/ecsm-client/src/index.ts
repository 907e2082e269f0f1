/** The public API of the client: single requests (`rest`), and typed resources (`clientset`). */
export type { CallOptions } from './clientset/call.ts';
export type { Configuration, ConfigurationBody, ConfigurationRow } from './clientset/configuration.ts';
export { type Connection, type ConnectOptions, connect } from './clientset/connect.ts';
export type { ContainerActionRow, ContainerRow } from './clientset/container-shapes.ts';
export type { ContainerListOptions, Containers } from './clientset/containers.ts';
export { Ecsm, type EcsmOptions } from './clientset/ecsm.ts';
export { type Endpoint, endpoints, type Mark } from './clientset/endpoints.ts';
export { formatImageRef, type ImageRef, parseImageRef } from './clientset/image-ref.ts';
export type { HashCheck, ImageDetail, ImageRow, ImageSummary, TagDetail } from './clientset/image-shapes.ts';
export {
  type ImageCount,
  type ImageFilter,
  type ImageSync,
  type Images,
  localRegistry,
  type Progress,
} from './clientset/images.ts';
export { type ListedRow, ListMemory } from './clientset/list-memory.ts';
export type {
  LoadBalance,
  MicroServiceDetail,
  MicroServiceFilter,
  MicroServiceInstance,
  MicroServiceRow,
  MicroServices,
} from './clientset/micro-services.ts';
export type {
  NodeBasicRow,
  NodeConflict,
  NodeRow,
  NodeStatusRow,
  NodeTypeChange,
} from './clientset/node-shapes.ts';
export type { Node, NodeBody, NodeFilter, NodeStatus, Nodes } from './clientset/nodes.ts';
export type { NodeSample, Overview, SampleSpan } from './clientset/overview.ts';
export type { NodeView } from './clientset/overview-shapes.ts';
export { collect, type ListOptions, type OpenPage, type Page } from './clientset/pages.ts';
export type { DeploymentRecord, DeploymentRecordDetail } from './clientset/record-shapes.ts';
export type { Records } from './clientset/records.ts';
export type * from './clientset/service-body.ts';
export type { DeployResult, Transaction, WrittenService } from './clientset/service-results.ts';
export type { ServiceDeletion, ServiceDetail, ServiceRow } from './clientset/service-shapes.ts';
export type { ContainerAction, ServiceAction, ServiceFilter, Services } from './clientset/services.ts';
export type { Template, TemplateFolder, TemplateImageResult, TemplateNode } from './clientset/template-shapes.ts';
export type {
  NamedTemplateImage,
  TemplateChange,
  TemplateImage,
  TemplateSearch,
  Templates,
  TemplateTreeQuery,
} from './clientset/templates.ts';
export { parseTime } from './clientset/times.ts';
export { type CpuUsage, cpuPercentOf, isOn, numberOf, textsOf } from './clientset/tolerant.ts';
export type { Uploaded, UploadOptions, UploadProgress, UploadSource } from './clientset/upload.ts';
export { bounded } from './rest/bounded.ts';
export { CircuitBreaker, isLinkFailure, type LinkState } from './rest/circuit-breaker.ts';
export { RestClient } from './rest/client.ts';
export { compressedTransport } from './rest/compression.ts';
export { PlatformResponse, platformResponse } from './rest/errors.ts';
export { type HttpTransportOptions, httpTransport, type TlsOptions } from './rest/http-transport.ts';
export type { Headers, RestOptions } from './rest/options.ts';
export { type AttemptRecord, type EndpointUse, type LinkUse, Recorder } from './rest/recorder.ts';
export type { RequestBuilder } from './rest/request.ts';
export type { Meter, Method, SendOptions, Transport, WireRequest, WireResponse } from './rest/transport.ts';
