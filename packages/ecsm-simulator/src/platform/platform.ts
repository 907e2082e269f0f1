/**
 * The simulated platform: the face of a state machine. It has no timers and touches nothing outside; each call first
 * lets everything happen that is due by now, then does what it was asked. What each call does is in the file of its noun.
 */
import { type Clock, type Log, type Random, silentLog } from '@ecsm/runtime';
import { type Behaviour, type ProfileName, profiles } from './behaviour.ts';
import { checkBehaviour } from './behaviour-check.ts';
import { deleteConfiguration, putConfiguration } from './configuration.ts';
import { act, crash, obstacleTo, setCrashLoop } from './containers.ts';
import type * as contract from './contract.ts';
import { advanceTo } from './events.ts';
import { watchHealth } from './health.ts';
import { addRegistry, deleteImage, pushImage, syncImage } from './images.ts';
import { setLoadBalance } from './load-balance.ts';
import type * as model from './model.ts';
import * as nodes from './nodes.ts';
import { deleteRecord } from './records.ts';
import { Refusal } from './refusal.ts';
import * as services from './services.ts';
import { restoreWorld, takeSnapshot } from './snapshot.ts';
import * as templates from './templates.ts';
import { beginTransaction } from './transactions.ts';
import { type Chunk, uploadChunk } from './uploads.ts';
import { PlatformView } from './view.ts';
import { World } from './world.ts';

export interface PlatformOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Asked once, for the seed of a new platform; a restored one brings its own. */
  readonly random: Random;
  /** A profile, or what differs from the `likely` one. Of a restored platform: what differs from before. */
  readonly behaviour?: Partial<Behaviour> | ProfileName;
  /** A snapshot to start from. */
  readonly state?: model.State;
  readonly log?: Log;
}

export class SimulatedPlatform extends PlatformView implements contract.Platform {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #world: World;
  /** A snapshot may come from a clock that is ahead of ours. Its time goes on from where it was. */
  readonly #aheadMs: number;

  constructor({ clock, random, behaviour = {}, state, log = silentLog }: PlatformOptions) {
    super();
    this.#clock = clock;
    const change = typeof behaviour === 'string' ? profiles[behaviour] : behaviour;
    checkBehaviour(change);
    if (state === undefined) {
      const seed = Math.floor(random.next() * 0x1_0000_0000);
      this.#world = new World({ seed, behaviour: { ...profiles.likely, ...change }, log });
      this.#world.nowMs = clock.now();
    } else {
      this.#world = restoreWorld(state, log);
      this.#world.behaviour = { ...this.#world.behaviour, ...change };
    }
    this.#aheadMs = Math.max(0, this.#world.nowMs - clock.now());
  }

  get behaviour(): Behaviour {
    return this.#world.behaviour;
  }

  now(): number {
    return this.present().nowMs;
  }

  advance(): void {
    advanceTo(this.#world, this.#clock.now() + this.#aheadMs);
  }

  nextAtMs(): number | undefined {
    const atMs = this.present().agenda.first?.atMs;
    return atMs === undefined ? undefined : atMs - this.#aheadMs;
  }

  snapshot(): model.State {
    return takeSnapshot(this.present());
  }

  createService(spec: model.ServiceSpec, options: { readonly pathLabel?: string } = {}): services.Deployed {
    return services.createService(this.present(), spec, options.pathLabel ?? '');
  }

  updateService(id: string, spec: model.ServiceSpec): services.Deployed {
    return services.updateService(this.present(), id, spec);
  }

  deleteService(id: string): model.Transaction {
    return services.deleteService(this.present(), id);
  }

  controlService(id: string, action: model.ContainerAction | 'destroy'): model.Transaction {
    if (action === 'destroy') return this.deleteService(id);
    return services.controlService(this.present(), id, action);
  }

  redeployService(id: string): void {
    services.redeployService(this.present(), id);
  }

  rollbackService(id: string, recordId: string): model.Transaction {
    return services.rollbackService(this.present(), id, recordId);
  }

  deleteRecord(recordId: string): void {
    deleteRecord(this.present(), recordId);
  }

  controlContainer(name: string, action: model.ContainerAction): model.Transaction {
    const world = this.present();
    const container = world.containers.named(name);
    if (container === undefined) throw new Refusal('containerNotFound', name);
    const obstacle = obstacleTo(world, container, action);
    if (obstacle !== undefined) throw obstacle;
    return beginTransaction(world, act(world, container, action));
  }

  addNode(node: contract.NewNode): model.Node {
    return nodes.addNode(this.present(), node);
  }

  updateNode(id: string, change: Pick<model.Node, 'name' | 'ip' | 'port' | 'password' | 'tls'>): void {
    nodes.updateNode(this.present(), id, change);
  }

  deleteNodes(ids: readonly string[]): ReturnType<contract.Platform['deleteNodes']> {
    return nodes.deleteNodes(this.present(), ids);
  }

  refreshNodeTypes(): void {
    nodes.refreshNodeTypes(this.present());
  }

  pushImage(image: contract.NewImage): model.Image {
    return pushImage(this.present(), image);
  }

  deleteImage(registryId: string, id: string): void {
    deleteImage(this.present(), registryId, id);
  }

  addRegistry(registry: Omit<model.RemoteRegistry, 'id' | 'online'>): model.RemoteRegistry {
    return addRegistry(this.present(), registry);
  }

  syncImage(registryId: string, imageId: string): model.Sync {
    return syncImage(this.present(), registryId, imageId);
  }

  uploadChunk(chunk: Chunk): model.Upload {
    return uploadChunk(this.present(), chunk);
  }

  addTemplate(template: Omit<model.Template, 'id'>): model.Template {
    return templates.addTemplate(this.present(), template);
  }

  updateTemplate(id: string, change: { readonly name?: string; readonly service?: model.ServiceSpec }): model.Template {
    return templates.updateTemplate(this.present(), id, change);
  }

  moveTemplate(source: string, destination: string): model.Template {
    return templates.moveTemplate(this.present(), source, destination);
  }

  deleteTemplate(id: string): void {
    templates.deleteTemplate(this.present(), id);
  }

  deployTemplate(id: string, action: model.DeployAction, force: boolean): contract.DeployOutcome {
    return templates.deployTemplate(this.present(), id, action, force);
  }

  putConfiguration(entry: Parameters<contract.Platform['putConfiguration']>[0]): model.ConfigurationEntry {
    return putConfiguration(this.present(), entry);
  }

  deleteConfiguration(id: string): void {
    deleteConfiguration(this.present(), id);
  }

  setLoadBalance(serviceId: string, balance: model.LoadBalance): void {
    setLoadBalance(this.present(), serviceId, balance);
  }

  killContainer(taskId: string): void {
    const container = this.#mustHaveContainer(taskId);
    const isAlive = container.status === 'running' || container.status === 'paused';
    if (!isAlive) throw new Refusal('containerState', `${container.name} (${container.status}), kill`);
    crash(this.#world, container);
  }

  setCrashLoop(taskId: string, crashAfterMs: number | null): void {
    setCrashLoop(this.#world, this.#mustHaveContainer(taskId), crashAfterMs);
  }

  setContainerHealth(taskId: string, healthy: boolean): void {
    const container = this.#mustHaveContainer(taskId);
    container.healthy = healthy;
    watchHealth(this.#world, container);
  }

  failDeployments(failure: { readonly service?: string; readonly message?: string; readonly count: number }): void {
    if (!Number.isSafeInteger(failure.count) || failure.count < 1) {
      throw new Refusal('badRequest', 'count', { count: 'has to be a whole number, 1 or more' });
    }
    const { service = null, message = '', count } = failure;
    this.present().plannedFailures.push({ service, message, left: count });
  }

  cutNode(id: string): void {
    nodes.setNodeOnline(this.present(), id, false);
  }

  restoreNode(id: string): void {
    nodes.setNodeOnline(this.present(), id, true);
  }

  fillNode(id: string, fill: { readonly memoryBytes?: number; readonly diskBytes?: number }): void {
    nodes.fillNode(this.present(), id, fill);
  }

  setNodeTrueType(id: string, type: model.OperatingSystem): void {
    nodes.setNodeTrueType(this.present(), id, type);
  }

  setLoad(serviceId: string, load: Partial<model.Load>): void {
    services.setLoad(this.present(), serviceId, load);
  }

  setBehaviour(change: Partial<Behaviour>): void {
    checkBehaviour(change);
    const world = this.present();
    world.behaviour = { ...world.behaviour, ...change };
    // Whoever was unwell while that had no consequences has them from now on.
    if (change.livenessProbe === undefined) return;
    for (const container of world.containers.values()) watchHealth(world, container);
  }

  protected override present(): World {
    this.advance();
    return this.#world;
  }

  #mustHaveContainer(taskId: string): model.Container {
    const container = this.present().containers.get(taskId);
    if (container === undefined) throw new Refusal('containerNotFound', taskId);
    return container;
  }
}
