/**
 * `/provision-template`: service templates in folders, deployed with `services().deployPaths`. A deployed service gets
 * the path of its template as a label.
 */
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, checkedId, fetchOne, sendWrite, withOptions } from './call.ts';
import type { DeployAction, ServiceImageBody, ServicePolicy } from './service-body.ts';
import {
  createdTemplates,
  nodesOf,
  type Template,
  type TemplateFolder,
  type TemplateImageResult,
  type TemplateNode,
  template,
  templateFolder,
  templateImageResults,
  templateNodes,
  updatedTemplate,
} from './template-shapes.ts';

export interface TemplateTreeQuery {
  readonly path?: string;
  readonly level?: number;
  readonly model?: 'simple' | 'full';
}

export interface TemplateSearch {
  readonly key?: string;
  readonly path?: string;
  readonly kind?: 'folder' | 'service';
}

export interface TemplateChange {
  readonly name?: string;
  readonly templates?: {
    readonly image?: Partial<Omit<ServiceImageBody, 'action' | 'autoUpgrade'>>;
    readonly node?: { readonly names: readonly string[] };
    readonly factor?: number;
    readonly policy?: ServicePolicy;
    readonly prepull?: boolean;
  };
  /** Deploys the template after the change. */
  readonly action?: DeployAction;
}

/** A new image for one template. Its start parameters do not change; the caller ensures that they fit the image. */
interface NewImage {
  readonly imageRef: string;
  /** Overrides the action for all templates. */
  readonly action?: DeployAction;
}
export type TemplateImage = NewImage & { readonly id: string };
/** `name` is the full path. */
export type NamedTemplateImage = NewImage & { readonly name: string };

const kind = 'template';

export class Templates {
  readonly #rest: RestClient;

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** Throws `NotFound`, or `Rejected` with a platform-specific code, if there is none. */
  async get(id: string, options: CallOptions = {}): Promise<Template> {
    const request = this.#rest
      .get()
      .resource('provision-template')
      .name(checkedId(id, kind, ['path-label']));
    return fetchOne(withOptions(request, options), template, kind, id);
  }

  byPath(path: string, options: CallOptions = {}): Promise<Template> {
    const request = this.#rest.get().resource('provision-template', 'path-label').param('path', path);
    return fetchOne(withOptions(request, options), template, kind, path);
  }

  async tree(query: TemplateTreeQuery = {}, options: CallOptions = {}): Promise<readonly TemplateNode[]> {
    const request = this.#rest.get().resource('provision-template', 'path-label', 'tree');
    const filtered = request.param('path', query.path).param('level', query.level).param('model', query.model);
    return nodesOf(await withOptions(filtered, options).do(templateNodes));
  }

  async search(search: TemplateSearch, options: CallOptions = {}): Promise<readonly TemplateNode[]> {
    const request = this.#rest.get().resource('provision-template', 'path-label', 'search');
    const filtered = request.param('key', search.key).param('path', search.path).param('kind', search.kind);
    return nodesOf(await withOptions(filtered, options).do(templateNodes));
  }

  /** One template for each image, in the folder at `path`. */
  async createFromImages(
    imageRefs: readonly string[],
    path: string,
    options: CallOptions = {},
  ): Promise<readonly { readonly id: string; readonly name?: string | null }[]> {
    const request = this.#rest.post().resource('provision-template', 'path-label', 'service', 'batch');
    const filtered = request.body({ imageRefs, path }).kind(kind, path);
    return (await withOptions(filtered, options).do(createdTemplates)).provisionTmplList ?? [];
  }

  createFolder(name: string, path: string, options: CallOptions = {}): Promise<TemplateFolder> {
    const request = this.#rest.post().resource('provision-template', 'path-label', 'folder').body({ name, path });
    return withOptions(request.kind('folder', name), options).do(templateFolder);
  }

  move(source: string, destination: string, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.put().resource('provision-template', 'path-label', 'move');
    return sendWrite(withOptions(request.body({ src: source, dst: destination }).kind(kind, source), options));
  }

  /** Returns the platform's result of the deployment, if the change requests one. */
  async update(id: string, change: TemplateChange, options: CallOptions = {}): Promise<unknown> {
    const request = this.#rest
      .put()
      .resource('provision-templates')
      .name(checkedId(id, kind, ['images']));
    const response = await withOptions(request.body(change).kind(kind, id), options).do(updatedTemplate);
    return response === null || typeof response === 'string' ? undefined : (response.deployResult ?? undefined);
  }

  /** Each template has its own result: some may fail. */
  updateImages(
    templates: readonly TemplateImage[],
    options: CallOptions & { readonly action?: DeployAction } = {},
  ): Promise<readonly TemplateImageResult[]> {
    return this.#updateImages(['provision-templates'], templates, options);
  }

  updateImagesByName(
    templates: readonly NamedTemplateImage[],
    options: CallOptions & { readonly action?: DeployAction } = {},
  ): Promise<readonly TemplateImageResult[]> {
    return this.#updateImages(['provision-templates', 'images'], templates, options);
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.delete().resource('provision-template', 'path-label').name(id);
    return sendWrite(withOptions(request.kind(kind, id), options));
  }

  /** Deletes a folder with its content, or several templates by id. */
  deleteMany(
    what: { readonly path: string } | { readonly ids: readonly string[] },
    options: CallOptions = {},
  ): Promise<void> {
    // The only public client of this call sends the ids in a field named `id`.
    const body = 'ids' in what ? { id: what.ids } : what;
    const request = this.#rest.delete().resource('provision-template', 'path-label').body(body);
    return sendWrite(withOptions(request, options));
  }

  async #updateImages(
    resource: readonly string[],
    templates: readonly (TemplateImage | NamedTemplateImage)[],
    options: CallOptions & { readonly action?: DeployAction },
  ): Promise<readonly TemplateImageResult[]> {
    const { action } = options;
    const body = action === undefined ? { templates } : { templates, action };
    const request = this.#rest
      .put()
      .resource(...resource)
      .body(body);
    return (await withOptions(request, options).do(templateImageResults)) ?? [];
  }
}
