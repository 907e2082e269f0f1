/** The half of the platform that looks and changes nothing: what there is, and what follows from it. */
import type * as contract from './contract.ts';
import { isContainerHealthy, isServiceHealthy } from './health.ts';
import { imagesOf } from './images.ts';
import { isNodeOnline } from './instances.ts';
import { loadBalanceOf } from './load-balance.ts';
import type * as model from './model.ts';
import { statusOfService } from './services.ts';
import { uploadOfHash } from './uploads.ts';
import { usageOf, usageOfNode } from './usage.ts';
import type { World } from './world.ts';

export abstract class PlatformView {
  /** As it is now: everything that was due has happened. */
  protected abstract present(): World;

  nodes(): readonly model.Node[] {
    return [...this.present().nodes.values()];
  }

  node(id: string): model.Node | undefined {
    return this.present().nodes.get(id);
  }

  nodeNamed(name: string): model.Node | undefined {
    return this.present().nodesByName.get(name);
  }

  services(): readonly model.Service[] {
    return [...this.present().services.values()];
  }

  service(id: string): model.Service | undefined {
    return this.present().services.get(id);
  }

  serviceNamed(name: string): model.Service | undefined {
    return this.present().servicesByName.get(name);
  }

  container(taskId: string): model.Container | undefined {
    return this.present().containers.get(taskId);
  }

  containerNamed(name: string): model.Container | undefined {
    return this.present().containers.named(name);
  }

  containersOfService(serviceId: string): readonly model.Container[] {
    return [...this.present().containers.ofService(serviceId).values()];
  }

  containersOfNode(nodeId: string): readonly model.Container[] {
    return [...this.present().containers.onNode(nodeId).values()];
  }

  registries(): readonly model.RemoteRegistry[] {
    return [...this.present().registries.values()];
  }

  images(registryId: string): readonly model.Image[] {
    return imagesOf(this.present(), registryId);
  }

  image(registryId: string, id: string): model.Image | undefined {
    const image = this.present().images.get(id);
    return image?.registryId === registryId ? image : undefined;
  }

  imageByRef(ref: string): model.Image | undefined {
    return this.present().localImage(ref);
  }

  recordsOf(serviceId: string): readonly model.DeploymentRecord[] {
    return [...(this.present().recordsOfService.get(serviceId) ?? [])];
  }

  record(id: string): model.DeploymentRecord | undefined {
    return this.present().records.get(id);
  }

  historyOf(taskId: string): readonly model.HistoryEntry[] {
    return [...(this.present().history.get(taskId) ?? [])];
  }

  transaction(id: string): model.Transaction | undefined {
    return this.present().transactions.get(id);
  }

  templates(): readonly model.Template[] {
    return [...this.present().templates.values()];
  }

  template(id: string): model.Template | undefined {
    return this.present().templates.get(id);
  }

  configuration(): readonly model.ConfigurationEntry[] {
    return [...this.present().configuration.values()];
  }

  loadBalanceOf(serviceId: string): model.LoadBalance {
    return loadBalanceOf(this.present(), serviceId);
  }

  sync(id: string): model.Sync | undefined {
    return this.present().syncs.get(id);
  }

  upload(id: string): model.Upload | undefined {
    return this.present().uploads.get(id);
  }

  uploadOfHash(imageHash: string): model.Upload | undefined {
    return uploadOfHash(this.present(), imageHash);
  }

  statusOf(container: model.Container): model.ContainerStatus | null {
    const world = this.present();
    const isUnknown = !isNodeOnline(world, container) && world.behaviour.offlineContainerStatus === 'null';
    return isUnknown ? null : container.status;
  }

  usageOf(container: model.Container): contract.ContainerUsage {
    return usageOf(this.present(), container);
  }

  usageOfNode(node: model.Node): contract.NodeUsage {
    return usageOfNode(this.present(), node);
  }

  statusOfService(service: model.Service): string {
    return statusOfService(this.present(), service);
  }

  isHealthy(service: model.Service): boolean {
    return isServiceHealthy(this.present(), service);
  }

  isContainerHealthy(container: model.Container): boolean {
    return isContainerHealthy(this.present(), container);
  }
}
