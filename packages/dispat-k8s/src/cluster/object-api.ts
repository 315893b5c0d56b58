import type { AppsV1Api, KubeConfig, KubernetesObjectApi, V1APIResource } from '@kubernetes/client-node';
import type { KindRef } from './api.js';
import type { ClientCalls } from './client-call.js';
import type { ClientLibrary } from './load-client.js';

/** The cluster has no such kind. */
export class UnknownKind extends Error {
  override readonly name = 'UnknownKind';
}

/** The client library's calls for objects of any kind, which also say where a kind's objects are. */
export type ObjectApi = Pick<KubernetesObjectApi, 'create' | 'delete' | 'list' | 'patch' | 'read' | 'replace'> & {
  /** The path of a kind's objects, in one namespace or in all. */
  pathOf(kind: KindRef, namespace: string | undefined): Promise<string>;
};

export interface ObjectApis {
  readonly objects: ObjectApi;
  readonly apps: AppsV1Api;
}

/**
 * Makes the client library's APIs for objects. Inside a {@link ClientCall} a call ends with that call's signal, sends
 * its document as it is, and leaves what was answered with it.
 */
export function objectApis(
  library: ClientLibrary,
  { config, server }: { readonly config: KubeConfig; readonly server: string },
  calls: ClientCalls,
): ObjectApis {
  class Objects extends library.KubernetesObjectApi {
    pathOf({ apiVersion, kind }: KindRef, namespace: string | undefined): Promise<string> {
      return this.specUriPath(
        { apiVersion, kind, ...(namespace !== undefined && { metadata: { namespace } }) },
        'list',
      );
    }

    protected override async resource(apiVersion: string, kind: string): Promise<V1APIResource> {
      const found = await super.resource(apiVersion, kind);
      if (!found) throw new UnknownKind(`the cluster has no kind ${apiVersion}/${kind}`);
      const call = calls.getStore();
      if (call) call.resource = found.name;
      return found;
    }
  }

  const configuration = library.createConfiguration({
    baseServer: new library.ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [hooks(library, calls)],
  });
  return { objects: new Objects(configuration), apps: new library.AppsV1Api(configuration) };
}

type Hooks = NonNullable<NonNullable<Parameters<ClientLibrary['createConfiguration']>[0]>['promiseMiddleware']>[number];

function hooks({ ResponseContext, SelfDecodingBody }: ClientLibrary, calls: ClientCalls): Hooks {
  return {
    async pre(request) {
      const call = calls.getStore();
      if (!call) return request;
      call.answer = undefined;
      request.setSignal(call.signal);
      const hasBody = request.getBody() !== undefined;
      if (hasBody && call.document !== undefined) request.setBody(JSON.stringify(call.document));
      return request;
    },
    async post(response) {
      const call = calls.getStore();
      if (!call) return response;
      const text = await response.body.text();
      const { httpStatusCode: status, headers } = response;
      call.answer = { status, text };
      // A body can be read once.
      return new ResponseContext(status, headers, new SelfDecodingBody(Promise.resolve(Buffer.from(text))));
    },
  };
}
