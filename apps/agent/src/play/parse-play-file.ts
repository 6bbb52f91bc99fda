import type { CollectionTag, ScalarTag, Tags } from 'yaml';
import { UsageError } from '../config/config-error.ts';

/** An object of a file that is played, with the text of its manifest. */
export interface PlayedObject {
  readonly kind: 'ConfigMap' | 'Pod' | 'Secret';
  readonly namespace: string;
  /** Name in the manifest; the agent appends the name of the node to that of a pod. */
  readonly name: string;
  /** The manifest as JSON, which is YAML as well. */
  readonly text: string;
}

/** Content of a file that is played. */
export interface PlayFile {
  readonly objects: readonly PlayedObject[];
  /** Objects and settings that an agent cannot carry out, a line each. */
  readonly notices: readonly string[];
}

interface ApiDocument {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown } & Record<string, unknown>;
  readonly items?: unknown;
  readonly spec?: Record<string, unknown> | null;
}

/** Kinds with a template of a pod. */
const TEMPLATES: ReadonlySet<string> = new Set([
  'apps/v1 Deployment',
  'apps/v1 DaemonSet',
  'apps/v1 ReplicaSet',
  'apps/v1 StatefulSet',
  'batch/v1 Job',
]);
const PLAIN: ReadonlySet<string> = new Set(['v1 ConfigMap', 'v1 Pod', 'v1 Secret']);

/** Tags of YAML 1.1 whose values are plain text for the agent and for kubectl, as base-60 numbers (`22:22`) are. */
const TEXT_TAGS: ReadonlySet<string> = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);

function customTags(tags: Tags): Tags {
  const isText = ({ tag, format }: CollectionTag & ScalarTag): boolean => TEXT_TAGS.has(tag) || format === 'TIME';
  return tags.filter((tag) => typeof tag === 'string' || !isText(tag as CollectionTag & ScalarTag));
}

/** Limits of one file, which is read whole. */
const MAX_DOCUMENTS = 500;

/**
 * Reads the pods, templates of pods, ConfigMaps and Secrets of a file, in YAML or JSON. Objects without a namespace are of `namespace`.
 * @throws UsageError for a file that is malformed or has no pod. The message quotes no data.
 */
export async function parsePlayFile(text: string, namespace: string): Promise<PlayFile> {
  // Loaded on demand, so that other commands start faster.
  const { parseAllDocuments } = await import('yaml');
  const parsed = parseAllDocuments(text, { version: '1.1', merge: true, resolveKnownTags: false, customTags });
  if (parsed.length === 0) throw new UsageError('the file is empty');
  if (parsed.length > MAX_DOCUMENTS) throw new UsageError(`the file has more than ${String(MAX_DOCUMENTS)} documents`);
  const documents = parsed.flatMap((document, index) => {
    const [error] = document.errors;
    // The rest of the message shows lines of the file, which may be those of a Secret.
    if (error !== undefined) throw new UsageError(`document ${String(index + 1)}: ${error.message.split('\n', 1)[0]!}`);
    return itemsOf(document.toJS({ maxAliasCount: 1000 }) as unknown);
  });
  const notices: string[] = [];
  const objects = documents.flatMap((document, index) => playedObjects(document, index, namespace, notices));
  if (!objects.some(({ kind }) => kind === 'Pod'))
    throw new UsageError(
      [`the file has no pod: expected a Pod, or a Deployment, DaemonSet, StatefulSet or Job`, ...notices].join('\n  '),
    );
  const keys = objects.map(objectKey);
  const duplicate = keys.find((key, index) => keys.indexOf(key) !== index);
  if (duplicate !== undefined) throw new UsageError(`the file has ${duplicate} twice`);
  return { objects, notices };
}

/** Returns the name of an object in messages, unique within a node. */
export function objectKey({ kind, namespace, name }: Pick<PlayedObject, 'kind' | 'name' | 'namespace'>): string {
  return `${kind.toLowerCase()} ${namespace}/${name}`;
}

function itemsOf(value: unknown): readonly ApiDocument[] {
  if (value === null || value === undefined) return [];
  const document = value as ApiDocument;
  return document.apiVersion === 'v1' && document.kind === 'List' && Array.isArray(document.items)
    ? (document.items as (ApiDocument | null)[]).map((item) => item ?? {})
    : [document];
}

function playedObjects(
  document: ApiDocument,
  index: number,
  namespaceOfFile: string,
  notices: string[],
): readonly PlayedObject[] {
  const { apiVersion, kind, metadata } = document;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new UsageError(`document ${String(index + 1)} has no apiVersion and kind`);
  const name = metadata?.name;
  if (typeof name !== 'string' || !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))
    throw new UsageError(`document ${String(index + 1)} (${kind}) needs a valid metadata.name`);
  const namespace = metadata?.namespace ?? namespaceOfFile;
  if (typeof namespace !== 'string' || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new UsageError(`document ${String(index + 1)} (${kind} ${name}) has an invalid metadata.namespace`);
  const type = `${apiVersion} ${kind}`;
  if (PLAIN.has(type)) {
    const text = JSON.stringify({ ...document, metadata: { ...metadata, namespace } }, undefined, 2);
    return [{ kind: kind as PlayedObject['kind'], namespace, name, text }];
  }
  if (TEMPLATES.has(type)) {
    const pod = podOfTemplate(document, kind, namespace, name, notices);
    return [{ kind: 'Pod', namespace, name, text: JSON.stringify(pod, undefined, 2) }];
  }
  notices.push(`${kind} ${namespace}/${name} is ignored: an agent runs pods only`);
  return [];
}

function podOfTemplate(
  document: ApiDocument,
  kind: string,
  namespace: string,
  name: string,
  notices: string[],
): object {
  const spec = document.spec ?? {};
  const template = spec['template'] as { metadata?: Record<string, unknown>; spec?: unknown } | undefined;
  if (typeof template?.spec !== 'object' || template.spec === null)
    throw new UsageError(`${kind} ${namespace}/${name} has no spec.template with a spec`);
  const subject = `${kind} ${namespace}/${name}`;
  const count = spec['replicas'] ?? spec['parallelism'] ?? 1;
  if (count !== 1) notices.push(`${subject} asks for ${JSON.stringify(count)} pods: one of its template runs`);
  if (Array.isArray(spec['volumeClaimTemplates']) && spec['volumeClaimTemplates'].length > 0)
    notices.push(`${subject}: volumeClaimTemplates are ignored`);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name, namespace },
    spec: template.spec,
  };
}
