import { isKubeError, KubeError, type KubeObject, type ListOptions, type ObjectList } from '@rxlet/kube-api/client';
import type { ListMeta, Mutable } from '@rxlet/kube-api';
import { apiVersionOf, type KubeResource } from '@rxlet/kube-api/resources';
import { collectionPath, withQuery } from './request-path.ts';
import type { RequestSender } from './request-sender.ts';

/** Largest number of objects of a list or a watch: several times what a cluster has of one kind. A server that sends more must not fill the memory. */
export const MAX_OBJECTS = 150_000;
/** Largest number of pages, each of which has at least one object. */
const MAX_PAGES = 10_000;

/** @throws KubeError when there are too many objects */
export function checkCount(count: number, { plural }: { readonly plural: string }): void {
  if (count > MAX_OBJECTS)
    throw new KubeError('InvalidResponse', `the API server sends more than ${String(MAX_OBJECTS)} ${plural}`);
}

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
  for (let pages = 1; page.continueToken !== ''; pages += 1) {
    checkCount(items.length, resource);
    if (page.items.length === 0 || pages === MAX_PAGES)
      throw new KubeError('InvalidResponse', `the list of ${resource.plural} does not end`);
    try {
      page = await readPage({ limit, continue: page.continueToken });
    } catch (error) {
      if (!isKubeError(error, 'Expired')) throw error;
      return readPage({});
    }
    for (const item of page.items) items.push(item);
  }
  checkCount(items.length, resource);
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
