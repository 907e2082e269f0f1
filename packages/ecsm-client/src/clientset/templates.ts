/**
 * `/provision-template`: services prepared in folders, to be deployed with `services().deployPaths`. A template that is
 * deployed gives its service a path label.
 */
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, done, find, idBeside, within } from './call.ts';
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
  /** Deploys after the change. */
  readonly action?: DeployAction;
}

/** A new image for one template. Its start parameters stay: whether they fit the image is the caller's to know. */
interface NewImage {
  readonly imageRef: string;
  /** Overrides the action that is given for all. */
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

  /** `NotFound`, or `Rejected` with a code of the platform's own, if there is none. */
  async get(id: string, options: CallOptions = {}): Promise<Template> {
    const request = this.#rest
      .get()
      .resource('provision-template')
      .name(idBeside(id, kind, ['path-label']));
    return find(within(request, options), template, kind, id);
  }

  byPath(path: string, options: CallOptions = {}): Promise<Template> {
    const request = this.#rest.get().resource('provision-template', 'path-label').param('path', path);
    return find(within(request, options), template, kind, path);
  }

  async tree(query: TemplateTreeQuery = {}, options: CallOptions = {}): Promise<readonly TemplateNode[]> {
    const request = this.#rest.get().resource('provision-template', 'path-label', 'tree');
    const asked = request.param('path', query.path).param('level', query.level).param('model', query.model);
    return nodesOf(await within(asked, options).do(templateNodes));
  }

  async search(search: TemplateSearch, options: CallOptions = {}): Promise<readonly TemplateNode[]> {
    const request = this.#rest.get().resource('provision-template', 'path-label', 'search');
    const asked = request.param('key', search.key).param('path', search.path).param('kind', search.kind);
    return nodesOf(await within(asked, options).do(templateNodes));
  }

  /** One template for each image, in the folder at `path`. */
  async createFromImages(
    imageRefs: readonly string[],
    path: string,
    options: CallOptions = {},
  ): Promise<readonly { readonly id: string; readonly name?: string | null }[]> {
    const request = this.#rest.post().resource('provision-template', 'path-label', 'service', 'batch');
    const asked = request.body({ imageRefs, path }).kind(kind, path);
    return (await within(asked, options).do(createdTemplates)).provisionTmplList ?? [];
  }

  createFolder(name: string, path: string, options: CallOptions = {}): Promise<TemplateFolder> {
    const request = this.#rest.post().resource('provision-template', 'path-label', 'folder').body({ name, path });
    return within(request.kind('folder', name), options).do(templateFolder);
  }

  move(source: string, destination: string, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.put().resource('provision-template', 'path-label', 'move');
    return done(within(request.body({ src: source, dst: destination }).kind(kind, source), options));
  }

  /** Gives what the platform tells about the deployment, if the change asks for one. */
  async update(id: string, change: TemplateChange, options: CallOptions = {}): Promise<unknown> {
    const request = this.#rest
      .put()
      .resource('provision-templates')
      .name(idBeside(id, kind, ['images']));
    const answer = await within(request.body(change).kind(kind, id), options).do(updatedTemplate);
    return answer === null || typeof answer === 'string' ? undefined : (answer.deployResult ?? undefined);
  }

  /** Each template has a result of its own: some may fail while others go. */
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
    return done(within(request.kind(kind, id), options));
  }

  /** A folder with all that is in it, or several templates by their ids. */
  deleteMany(
    what: { readonly path: string } | { readonly ids: readonly string[] },
    options: CallOptions = {},
  ): Promise<void> {
    // The ids go in a field called `id`: so the one public client that makes this call sends them.
    const body = 'ids' in what ? { id: what.ids } : what;
    const request = this.#rest.delete().resource('provision-template', 'path-label').body(body);
    return done(within(request, options));
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
    return (await within(request, options).do(templateImageResults)) ?? [];
  }
}
