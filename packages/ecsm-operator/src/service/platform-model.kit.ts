/**
 * A model of a platform, small enough to be read: services with containers that start with a delay, fail on request,
 * and go in the order that is worst for us. It carries out steps and shows itself as a plan sees it.
 */
import type { ServiceBody } from '@ecsm/client';
import { timestampAt } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { canonicalJson } from '../resource/hash.ts';
import { readMark } from '../resource/mark.ts';
import type { Instance, PlatformService } from '../resource/model.ts';
import { nodeNamesOf } from '../resource/read.ts';
import type { Step } from './model.ts';

export interface ModelContainer {
  readonly taskId: string;
  readonly name: string;
  node: string;
  status: Instance['status'];
  deployment: Instance['deployment'];
  message: string | undefined;
  restarts: number;
  startedMs: number | undefined;
  /** When its deployment ends. */
  dueMs: number | undefined;
  /** When the platform starts it again by itself. */
  revivedMs: number | undefined;
  /** When it is gone. */
  goneMs: number | undefined;
}

export interface ModelService {
  readonly id: string;
  body: ServiceBody;
  readonly createdMs: number;
  updatedMs: number;
  containers: ModelContainer[];
  goneMs: number | undefined;
}

export interface PlatformModelOptions {
  readonly seed?: number;
  /** A deployment takes from 0 to this long. */
  readonly startMsMax?: number;
  /** Containers and services take from 0 to this long to go. */
  readonly goMsMax?: number;
  /** So many deployments fail, chosen by chance. */
  readonly failures?: number;
  readonly refusesZero?: boolean;
}

export class Refused extends Error {}

export class PlatformModel {
  nowMs = 1_767_225_600_000;
  readonly services: ModelService[] = [];
  readonly offline = new Set<string>();
  readonly #random: SeededRandom;
  readonly #options: Required<PlatformModelOptions>;
  #failures: number;
  #count = 0;

  constructor(options: PlatformModelOptions = {}) {
    this.#options = { seed: 1, startMsMax: 0, goMsMax: 0, failures: 0, refusesZero: false, ...options };
    this.#random = new SeededRandom(this.#options.seed);
    this.#failures = this.#options.failures;
  }

  named(name: string): ModelService {
    const service = this.services.find(({ body }) => body.name === name);
    if (service === undefined) throw new Error(`there is no service ${name}`);
    return service;
  }

  get containers(): readonly ModelContainer[] {
    return this.services.flatMap(({ containers }) => containers);
  }

  get ready(): readonly ModelContainer[] {
    return this.containers.filter(({ status, node }) => status === 'running' && !this.offline.has(node));
  }

  get isBusy(): boolean {
    return this.services.some(
      ({ goneMs, containers }) =>
        goneMs !== undefined ||
        containers.some((one) => one.dueMs !== undefined || one.goneMs !== undefined || one.revivedMs !== undefined),
    );
  }

  /** Time passes, and what is due happens. */
  advance(ms: number): void {
    this.nowMs += ms;
    for (const service of this.services) {
      for (const container of service.containers) this.#advance(service, container);
      service.containers = service.containers.filter(({ goneMs }) => goneMs === undefined || goneMs > this.nowMs);
    }
    const left = this.services.filter(({ goneMs }) => goneMs === undefined || goneMs > this.nowMs);
    this.services.splice(0, this.services.length, ...left);
  }

  /** A container ends by itself; the platform starts it again. */
  crash(container: ModelContainer, restartMs: number | undefined): void {
    container.status = 'exited';
    container.revivedMs = restartMs === undefined ? undefined : this.nowMs + restartMs;
  }

  apply(step: Step): void {
    if (step.do === 'create') this.#create(step.body);
    else if (step.do === 'update') this.#updateOr(step);
    else if (step.do === 'delete') this.#delete(this.#free(step.id));
    else if ('instance' in step) this.#startNamed(step.instance);
    else {
      const act = step.do === 'redeploy' ? this.#deploy : this.#start;
      for (const container of this.#staying(this.#free(step.id))) act.call(this, container);
    }
  }

  #updateOr({ id, body, ifRefused }: Extract<Step, { do: 'update' }>): void {
    const isRefused = this.#options.refusesZero && body.factor === 0;
    if (!isRefused) this.#update(this.#free(id), body);
    else if (ifRefused === 'delete') this.#delete(this.#free(id));
    else throw new Refused('a factor of 0');
  }

  #startNamed(instance: string): void {
    const container = this.containers.find(({ name }) => name === instance);
    if (container?.deployment !== 'success') throw new Refused(`start of ${instance}`);
    this.#start(container);
  }

  observe(): PlatformService[] {
    return this.services.map((service) => this.#show(service));
  }

  #show({ id, body, createdMs, updatedMs, containers }: ModelService): PlatformService {
    const { name, image, node, policy = 'static', factor = 0 } = body;
    const isDeploying = containers.some(({ deployment }) => deployment === 'deploying');
    const detail = {
      id,
      name,
      status: isDeploying ? 'deploying' : 'complete',
      updatedTime: timestampAt(updatedMs),
      createdTime: timestampAt(createdMs),
      policy,
      factor,
      image,
      node: { names: [...node.names] },
    };
    const mark = readMark(detail);
    return {
      id,
      name,
      ...(mark === undefined ? {} : { mark }),
      policy,
      factor: policy === 'static' ? node.names.length : factor,
      nodeNames: nodeNamesOf(detail),
      updatedTime: detail.updatedTime,
      isDeploying,
      instances: containers.map((container) => this.#showContainer(container)),
      detail,
    };
  }

  #showContainer({ taskId, name, node, status, deployment, message, restarts, startedMs }: ModelContainer): Instance {
    return {
      taskId,
      name,
      nodeName: node,
      status: this.offline.has(node) ? null : status,
      deployment,
      restarts,
      ...(message === undefined ? {} : { message }),
      ...(startedMs === undefined ? {} : { startedMs }),
    };
  }

  #create(body: ServiceBody): void {
    if (this.services.some((one) => one.body.name === body.name)) throw new Refused(`${body.name} is taken`);
    const service: ModelService = {
      id: `service-${++this.#count}`,
      body,
      createdMs: this.nowMs,
      updatedMs: this.nowMs,
      containers: [],
      goneMs: undefined,
    };
    this.services.push(service);
    this.#fill(service);
  }

  /** Containers are deployed again only if what they are made of changes, or if they could not be deployed before. */
  #update(service: ModelService, body: ServiceBody): void {
    const isChanged = canonicalJson(service.body.image) !== canonicalJson(body.image);
    service.body = body;
    service.updatedMs = this.nowMs;
    for (const container of this.#staying(service)) {
      if (!body.node.names.includes(container.node)) this.#dismiss(container);
    }
    if (body.policy === 'dynamic') {
      const worstFirst = this.#staying(service).sort((left, right) => Number(isUp(right)) - Number(isUp(left)));
      for (const one of worstFirst.slice(0, Math.max(worstFirst.length - (body.factor ?? 0), 0))) this.#dismiss(one);
    }
    for (const container of this.#staying(service)) {
      if (isChanged || container.deployment === 'failure') this.#deploy(container);
    }
    this.#fill(service);
  }

  #fill(service: ModelService): void {
    const { policy, factor = 0, node } = service.body;
    const places = new Set(this.#staying(service).map((one) => one.node));
    if (policy !== 'dynamic') {
      for (const name of node.names) if (!places.has(name)) this.#add(service, name);
      return;
    }
    const online = node.names.filter((name) => !this.offline.has(name));
    while (this.#staying(service).length < factor && online.length > 0) this.#add(service, this.#random.pick(online));
  }

  #add(service: ModelService, node: string): void {
    const number = ++this.#count;
    const container: ModelContainer = {
      taskId: `task-${number}`,
      name: `${service.body.name}-${number}`,
      node,
      status: 'created',
      deployment: 'deploying',
      message: undefined,
      restarts: 0,
      startedMs: undefined,
      dueMs: undefined,
      revivedMs: undefined,
      goneMs: undefined,
    };
    service.containers.push(container);
    this.#deploy(container);
  }

  #deploy(container: ModelContainer): void {
    container.status = 'created';
    container.deployment = 'deploying';
    container.message = undefined;
    container.startedMs = undefined;
    container.revivedMs = undefined;
    container.dueMs = this.nowMs + this.#random.integer(0, this.#options.startMsMax);
  }

  #delete(service: ModelService): void {
    service.goneMs = this.nowMs + this.#random.integer(0, this.#options.goMsMax);
  }

  #dismiss(container: ModelContainer): void {
    container.dueMs = undefined;
    container.revivedMs = undefined;
    container.goneMs = this.nowMs + this.#random.integer(0, this.#options.goMsMax);
  }

  #start(container: ModelContainer): void {
    if (container.deployment !== 'success' || container.status === 'running') return;
    container.status = 'running';
    container.startedMs = this.nowMs;
    container.revivedMs = undefined;
  }

  #advance({ body }: ModelService, container: ModelContainer): void {
    const { dueMs, revivedMs } = container;
    if (dueMs !== undefined && dueMs <= this.nowMs && !this.offline.has(container.node)) {
      container.dueMs = undefined;
      if (this.#failures > 0 && this.#random.chance(0.3)) {
        this.#failures--;
        container.deployment = 'failure';
        container.message = 'no space left';
      } else {
        container.deployment = 'success';
        if (body.image.action === 'run') this.#start(container);
      }
    }
    if (revivedMs !== undefined && revivedMs <= this.nowMs) {
      container.restarts++;
      this.#start(container);
    }
  }

  #staying({ containers }: ModelService): ModelContainer[] {
    return containers.filter(({ goneMs }) => goneMs === undefined);
  }

  #free(id: string): ModelService {
    const service = this.services.find((one) => one.id === id);
    if (service === undefined || service.goneMs !== undefined) throw new Refused(`${id} is gone, or is going`);
    return service;
  }
}

function isUp({ status }: ModelContainer): boolean {
  return status === 'running';
}
