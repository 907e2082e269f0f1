/**
 * All platform endpoints that the clientset uses, with their evidence. A mark names a source: DOC is the vendor's
 * documentation; DAYU and FT are clients that were used with a real platform; GO, FORK, CTRL and TOOL are other
 * clients.
 */

export type Mark = 'DOC' | 'GO' | 'FORK' | 'DAYU' | 'FT' | 'CTRL' | 'TOOL';

export interface Endpoint {
  /** As shown in errors and metrics. */
  readonly endpoint: string;
  /** Section of the reference of the platform's API. */
  readonly section: string;
  readonly marks: readonly Mark[];
  /** The method of `Ecsm` that uses this endpoint. */
  readonly method: string;
}

export const endpoints: readonly Endpoint[] = [
  {
    endpoint: 'POST /service',
    section: '2.1',
    marks: ['DOC', 'GO', 'DAYU', 'FT', 'CTRL'],
    method: 'services().create',
  },
  { endpoint: 'GET /service', section: '2.2', marks: ['GO', 'DAYU', 'CTRL'], method: 'services().list' },
  { endpoint: 'GET /service/:id', section: '2.3', marks: ['GO', 'FT', 'CTRL'], method: 'services().get' },
  { endpoint: 'PUT /service', section: '2.4', marks: ['GO', 'CTRL'], method: 'services().update' },
  { endpoint: 'DELETE /service/:id', section: '2.5', marks: ['GO'], method: 'services().delete' },
  {
    endpoint: 'POST /service/:action/ids',
    section: '2.6',
    marks: ['FORK', 'DAYU', 'FT', 'CTRL'],
    method: 'services().control',
  },
  { endpoint: 'POST /service/:action/path-label', section: '2.7', marks: ['FORK'], method: 'services().controlPath' },
  {
    endpoint: 'POST /service/:action/templates-path-label',
    section: '2.8',
    marks: ['FORK'],
    method: 'services().deployPaths',
  },
  {
    endpoint: 'POST /service/:action/templates-ids',
    section: '2.8',
    marks: ['DOC'],
    method: 'services().deployTemplates',
  },
  { endpoint: 'DELETE /service/path', section: '2.9', marks: ['FORK'], method: 'services().deletePath' },
  { endpoint: 'PUT /service/deployment/restart', section: '2.10', marks: ['FORK'], method: 'services().redeploy' },
  { endpoint: 'PUT /service/rollback', section: '2.11', marks: ['FORK'], method: 'services().rollback' },
  { endpoint: 'GET /service/name/check', section: '2.12', marks: ['FORK'], method: 'services().isNameTaken' },
  { endpoint: 'GET /service/summary', section: '2.13', marks: ['FORK'], method: 'services().summary' },
  { endpoint: 'PUT /service/container', section: '2.14', marks: ['GO'], method: 'services().controlContainers' },
  { endpoint: 'GET /service/record', section: '3', marks: ['FORK'], method: 'records().list' },
  { endpoint: 'GET /service/record/:id', section: '3', marks: ['DOC'], method: 'records().get' },
  { endpoint: 'DELETE /service/record', section: '3', marks: ['FORK'], method: 'records().delete' },
  { endpoint: 'GET /container/:id', section: '4.1', marks: ['DOC'], method: 'containers().get' },
  { endpoint: 'GET /container/service', section: '4.2', marks: ['GO', 'DAYU'], method: 'containers().ofServices' },
  { endpoint: 'GET /container/node', section: '4.2', marks: ['GO', 'FT'], method: 'containers().ofNodes' },
  { endpoint: 'PUT /container', section: '4.3', marks: ['GO'], method: 'containers().control' },
  { endpoint: 'GET /container/action/history', section: '4.4', marks: ['GO'], method: 'containers().history' },
  { endpoint: 'POST /node', section: '6', marks: ['GO'], method: 'nodes().create' },
  { endpoint: 'PUT /node', section: '6', marks: ['GO'], method: 'nodes().update' },
  { endpoint: 'DELETE /node', section: '6', marks: ['GO'], method: 'nodes().delete' },
  { endpoint: 'GET /node', section: '6', marks: ['GO'], method: 'nodes().list' },
  { endpoint: 'GET /node/:id', section: '6', marks: ['GO'], method: 'nodes().get' },
  { endpoint: 'GET /node/name/:name', section: '6', marks: ['GO', 'DAYU'], method: 'nodes().getByName' },
  { endpoint: 'GET /node/name/check', section: '6', marks: ['GO'], method: 'nodes().isNameTaken' },
  { endpoint: 'GET /node/address/check', section: '6', marks: ['GO'], method: 'nodes().isAddressTaken' },
  { endpoint: 'GET /node/status', section: '6', marks: ['GO', 'DAYU', 'FT'], method: 'nodes().status' },
  { endpoint: 'PUT /node/type', section: '6', marks: ['GO'], method: 'nodes().refreshTypes' },
  { endpoint: 'GET /node/type/check', section: '6', marks: ['GO'], method: 'nodes().typeChanges' },
  { endpoint: 'GET /image', section: '8', marks: ['GO', 'TOOL'], method: 'images().list' },
  { endpoint: 'GET /image/summary', section: '8', marks: ['GO', 'TOOL'], method: 'images().summary' },
  { endpoint: 'GET /image/count', section: '8', marks: ['DOC'], method: 'images().counts' },
  { endpoint: 'GET /image/config', section: '8', marks: ['GO', 'DAYU', 'CTRL'], method: 'images().config' },
  { endpoint: 'GET /registry/:registryId/image/:imageId', section: '8', marks: ['DOC', 'GO'], method: 'images().get' },
  { endpoint: 'POST /image', section: '8', marks: ['DOC', 'DAYU', 'TOOL'], method: 'images().upload' },
  { endpoint: 'POST /image/hash/check', section: '8', marks: ['DOC'], method: 'images().checkHash' },
  { endpoint: 'GET /image/upload/:uploadId', section: '8', marks: ['TOOL'], method: 'images().uploadProgress' },
  { endpoint: 'POST /image/sync', section: '8', marks: ['DOC'], method: 'images().sync' },
  { endpoint: 'GET /image/sync/:syncId', section: '8', marks: ['DOC'], method: 'images().syncProgress' },
  { endpoint: 'GET /image/tags', section: '8', marks: ['DOC'], method: 'images().tags' },
  { endpoint: 'GET /image/tagDetail', section: '8', marks: ['DOC'], method: 'images().tagDetail' },
  { endpoint: 'GET /registry/address/check', section: '8', marks: ['DOC'], method: 'images().isRegistryAddressTaken' },
  {
    endpoint: 'POST /provision-template/path-label/service/batch',
    section: '9.1',
    marks: ['DOC'],
    method: 'templates().createFromImages',
  },
  {
    endpoint: 'POST /provision-template/path-label/folder',
    section: '9.1',
    marks: ['FORK'],
    method: 'templates().createFolder',
  },
  { endpoint: 'PUT /provision-template/path-label/move', section: '9.1', marks: ['FORK'], method: 'templates().move' },
  { endpoint: 'PUT /provision-templates/:id', section: '9.1', marks: ['FORK'], method: 'templates().update' },
  { endpoint: 'PUT /provision-templates', section: '9.1', marks: ['DOC'], method: 'templates().updateImages' },
  {
    endpoint: 'PUT /provision-templates/images',
    section: '9.1',
    marks: ['FORK'],
    method: 'templates().updateImagesByName',
  },
  { endpoint: 'GET /provision-template/path-label/tree', section: '9.1', marks: ['FORK'], method: 'templates().tree' },
  { endpoint: 'GET /provision-template/:id', section: '9.1', marks: ['FORK'], method: 'templates().get' },
  { endpoint: 'GET /provision-template/path-label', section: '9.1', marks: ['FORK'], method: 'templates().byPath' },
  {
    endpoint: 'GET /provision-template/path-label/search',
    section: '9.1',
    marks: ['FORK'],
    method: 'templates().search',
  },
  {
    endpoint: 'DELETE /provision-template/path-label/:id',
    section: '9.1',
    marks: ['FORK'],
    method: 'templates().delete',
  },
  {
    endpoint: 'DELETE /provision-template/path-label',
    section: '9.1',
    marks: ['FORK'],
    method: 'templates().deleteMany',
  },
  { endpoint: 'POST /configmap', section: '9.2', marks: ['DOC'], method: 'configuration().create' },
  { endpoint: 'PUT /configmap', section: '9.2', marks: ['FORK'], method: 'configuration().update' },
  { endpoint: 'DELETE /configmap/:id', section: '9.2', marks: ['FORK'], method: 'configuration().delete' },
  { endpoint: 'GET /configmap', section: '9.2', marks: ['FORK'], method: 'configuration().list' },
  { endpoint: 'GET /configmap/key', section: '9.2', marks: ['FORK'], method: 'configuration().value' },
  { endpoint: 'GET /micro-service', section: '9.3', marks: ['FORK'], method: 'microServices().list' },
  { endpoint: 'GET /micro-service/:id', section: '9.3', marks: ['FORK'], method: 'microServices().get' },
  { endpoint: 'PUT /micro-service', section: '9.3', marks: ['FORK'], method: 'microServices().setLoadBalance' },
  {
    endpoint: 'GET /micro-service/instance',
    section: '9.3',
    marks: ['FORK', 'FT'],
    method: 'microServices().instances',
  },
  { endpoint: 'GET /overview/node', section: '10', marks: ['GO'], method: 'overview().nodeMetrics' },
  {
    endpoint: 'GET /overview/platform/node-view/:nodeId',
    section: '10',
    marks: ['DOC'],
    method: 'overview().nodeView',
  },
];
