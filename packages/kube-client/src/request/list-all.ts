import { isKubeError, KubeError, type KubeObject, type ListOptions, type ObjectList } from '@rxlet/agent-api/kube';
import type { ListMeta, Mutable } from '@rxlet/kube-api';
import { apiVersionOf, type KubeResource } from '@rxlet/kube-api/resources';
import { collectionPath, withQuery } from './request-path.ts';
import type { RequestSender } from './request-sender.ts';

/** Lists all objects, page by page. When the API server forgets the version between two pages, it reads everything at once (client-go: pager). */
export async function listAll<T extends KubeObject>(
  sender: RequestSender,
  resource: KubeResource<T>,
  { namespace, fieldSelector, labelSelector, limit, resourceVersion }: ListOptions,
  signal: AbortSignal,
): Promise<ObjectList<T>> {
  const readPage = async (parameters: {
    limit?: number | undefined;
    resourceVersion?: string | undefined;
    continue?: string;
  }): Promise<Page<T>> => {
    const path = withQuery(collectionPath(resource, namespace), { fieldSelector, labelSelector, ...parameters });
    return pageOf(await sender.send({ method: 'GET', path, signal }), resource);
  };
  // An empty version means the most recent state, as an absent one.
  let page = await readPage({ limit, resourceVersion: resourceVersion || undefined });
  const items = [...page.items];
  while (page.continueToken !== '') {
    try {
      page = await readPage({ limit, continue: page.continueToken });
    } catch (error) {
      if (!isKubeError(error, 'Expired')) throw error;
      return readPage({});
    }
    items.push(...page.items);
  }
  return { resourceVersion: page.resourceVersion, items };
}

interface Page<T> extends ObjectList<T> {
  readonly continueToken: string;
}

function pageOf<T extends KubeObject>(value: unknown, resource: KubeResource<T>): Page<T> {
  const { metadata, items } = value as {
    readonly metadata?: ListMeta;
    readonly items?: readonly Mutable<KubeObject>[] | null;
  };
  if (metadata?.resourceVersion === undefined || (items !== null && !Array.isArray(items))) {
    throw new KubeError('InvalidResponse', `the answer is no list of ${resource.plural}`);
  }
  const apiVersion = apiVersionOf(resource);
  // Items of a list leave out what all have in common.
  for (const item of items ?? []) Object.assign(item, { apiVersion, kind: resource.kind });
  return {
    resourceVersion: metadata.resourceVersion,
    continueToken: metadata.continue ?? '',
    items: items ?? [],
  };
}
