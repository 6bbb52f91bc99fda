import type { Pod } from '@rxlet/kube-api';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { describeFields, listSome, shorten, type FieldProblem } from '@rxlet/pod-model/validation';
import { apiReferenceOf } from './api-references.ts';
import { decodeFields, isObject } from './decode-fields.ts';
import { decodeObject, type ManifestObject, objectKindOf } from './objects/manifest-object.ts';
import { withoutObjectReferences } from './objects/without-references.ts';
import { ManifestError, type ManifestErrorReason } from './manifest-error.ts';
import { parseManifest } from './parse-manifest.ts';
import { makeStaticPod, type StaticPodOptions } from './static-pod.ts';
import { validatePod, type ValidatePodOptions } from './validation/validate-pod.ts';
import type { ParsedDocuments } from './parsed-manifest.ts';

/** Options of {@link decodeManifest}. */
export interface DecodeManifestOptions extends StaticPodOptions, ValidatePodOptions {}

/** A pod from a manifest, and the objects for the pods of the same folder. */
export interface DecodedDocuments {
  readonly pods: readonly Pod[];
  readonly objects: readonly ManifestObject[];
  /** As of {@link DecodedManifest}. */
  readonly warnings: readonly string[];
}

/** A pod from a manifest. */
export interface DecodedManifest {
  readonly pod: Pod;
  /** Parts without effect, such as unknown fields; one line for each kind, without the manifest's name. */
  readonly warnings: readonly string[];
}

/**
 * Decodes the pod of a manifest as a kubelet does: YAML or JSON, types of fields, identity of a static pod, defaults, the API's validation. The YAML library is
 * loaded with the first YAML manifest. Rejects with {@link ManifestError}.
 */
export async function decodeManifest(text: string, options: DecodeManifestOptions): Promise<DecodedManifest> {
  const manifest = nameOf(options);
  const { value, warnings } = await parseManifest(text, manifest);
  checkKind(value, manifest);
  const decoded = decodePod(value, manifest, options);
  return { pod: decoded.pod, warnings: [...warnings, ...decoded.warnings] };
}

/**
 * Decodes a manifest that may have ConfigMaps and Secrets as further YAML documents. The pod, at most one, may refer to such objects; whether they exist is not
 * checked.
 */
export async function decodeManifestDocuments(text: string, options: DecodeManifestOptions): Promise<DecodedDocuments> {
  const manifest = nameOf(options);
  const { values, warnings } = await parseDocuments(text, manifest);
  const pods: Pod[] = [];
  const objects: ManifestObject[] = [];
  const all = [...warnings];
  const others = values.filter((value) => objectKindOf(value) === undefined);
  if (others.length > 1) {
    throw new ManifestError(
      'SeveralDocuments',
      manifest,
      `holds ${String(others.length)} YAML documents besides ConfigMaps and Secrets; a manifest has one Pod, so put each into a file of its own`,
    );
  }
  for (const value of values) {
    const kind = objectKindOf(value);
    if (kind !== undefined) {
      const decoded = decodeObject(value as object, kind, manifest);
      objects.push(decoded.object);
      all.push(...decoded.warnings);
      continue;
    }
    checkKind(value, manifest);
    const decoded = decodePod(value, manifest, options, withoutObjectReferences);
    pods.push(decoded.pod);
    all.push(...decoded.warnings);
  }
  return { pods, objects, warnings: all };
}

/** Decodes a manifest that may also be a `PodList`. One invalid pod makes the whole list invalid: the rest may be as wrong. */
export async function decodeManifestList(
  text: string,
  options: DecodeManifestOptions,
): Promise<{ readonly pods: readonly Pod[]; readonly warnings: readonly string[] }> {
  const manifest = nameOf(options);
  const { value, warnings } = await parseManifest(text, manifest);
  if (!isPodList(value)) {
    checkKind(value, manifest);
    const { pod, warnings: more } = decodePod(value, manifest, options);
    return { pods: [pod], warnings: [...warnings, ...more] };
  }
  const items = value.items ?? [];
  if (!Array.isArray(items)) {
    throw new ManifestError('NotAPod', manifest, 'holds a PodList whose items are no list; make them a list of pods');
  }
  const decoded = items.map((item: unknown, index) => {
    const place = `${manifest}, items[${String(index)}]`;
    // The items of a list may omit their kind.
    const pod = isObject(item) ? { apiVersion: 'v1', kind: 'Pod', ...item } : item;
    checkKind(pod, place);
    const { pod: one, warnings: about } = decodePod(pod, place, options);
    return { pod: one, warnings: about.map((warning) => `items[${String(index)}]: ${warning}`) };
  });
  return {
    pods: decoded.map(({ pod }) => pod),
    warnings: [...warnings, ...decoded.flatMap(({ warnings: about }) => about)],
  };
}

function nameOf({ origin }: DecodeManifestOptions): string {
  return 'file' in origin ? origin.file : origin.url;
}

function isPodList(value: unknown): value is { readonly items?: unknown } {
  if (!isObject(value)) return false;
  const { apiVersion, kind } = value as { apiVersion?: unknown; kind?: unknown };
  return apiVersion === 'v1' && (kind === 'PodList' || kind === 'List');
}

/**
 * Decodes a pod that passed {@link checkKind}.
 *
 * @param checkedForReferences returns the pod without the references that are permitted. Default: none are
 */
function decodePod(
  value: object,
  manifest: string,
  options: DecodeManifestOptions,
  checkedForReferences: (pod: Pod) => Pod = (pod) => pod,
): DecodedManifest {
  const decoded = decodeFields(value, 'io.k8s.api.core.v1.Pod');
  if (decoded.problems.length > 0) throw fieldError('WrongFieldType', manifest, 'not a valid pod', decoded.problems);
  const written = decoded.value as Pod;
  if (!written.metadata?.name) {
    const problem = { field: 'metadata.name', message: 'name is needed for the pod' };
    throw new ManifestError('InvalidPod', manifest, `invalid pod: ${problem.message}; set metadata.name`, [problem]);
  }
  const asWritten = decodeFields(value, 'io.k8s.api.core.v1.Pod', { asWritten: true }).value as Pod;
  const pod = defaultPod(makeStaticPod(written, options, asWritten));
  const problems = validatePod(pod, options);
  if (problems.length > 0) throw fieldError('InvalidPod', manifest, 'invalid pod', problems);
  const reference = apiReferenceOf(checkedForReferences(pod));
  if (reference !== undefined) throw new ManifestError('ReferencesApiObjects', manifest, describeReference(reference));
  const unknown = decoded.unknownFields;
  const warnings =
    unknown.length === 0 ? [] : [`fields that a Pod does not have are ignored: ${listSome(unknown, ', ')}`];
  return { pod, warnings };
}

/** Describes a reference that a static pod may not have. */
export function describeReference(reference: string): string {
  return `static pods may not reference ${reference}; remove the reference, or create the pod through an API server`;
}

function fieldError(
  reason: ManifestErrorReason,
  manifest: string,
  what: string,
  problems: readonly FieldProblem[],
): ManifestError {
  return new ManifestError(reason, manifest, `${what}: ${describeFields(problems)}`, problems);
}

function checkKind(value: unknown, manifest: string): asserts value is object {
  if (!isObject(value)) {
    const found = Array.isArray(value) ? 'a list' : value === null ? 'nothing' : `a ${typeof value}`;
    throw new ManifestError('NotAPod', manifest, `holds ${found}; expected a Pod (apiVersion: v1, kind: Pod)`);
  }
  const { apiVersion, kind } = value as { apiVersion?: unknown; kind?: unknown };
  if (apiVersion === 'v1' && kind === 'Pod') return;
  if (typeof kind !== 'string' || kind === '') {
    throw new ManifestError('NotAPod', manifest, 'has no kind; expected a Pod (apiVersion: v1, kind: Pod)');
  }
  const found =
    typeof apiVersion === 'string' && apiVersion !== '' ? `${apiVersion} ${kind}` : `${kind} without apiVersion`;
  throw new ManifestError('NotAPod', manifest, `holds a ${shorten(found)}; expected a v1 Pod${adviceFor(kind)}`);
}

/** Returns advice for kinds that are put into a manifest folder by mistake. */
function adviceFor(kind: string): string {
  if (kind === 'Pod') return ', so set apiVersion: v1';
  if (kind.endsWith('List')) return ': put each of its pods into a file of its own';
  if (['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet', 'Job', 'CronJob'].includes(kind)) {
    return `: a node runs single pods, so make a Pod of the template of the ${kind}, or create it through an API server`;
  }
  return ': other objects need an API server';
}

/** Parses a manifest of one or more YAML documents, or of one JSON object. @throws {@link ManifestError} */
async function parseDocuments(text: string, manifest: string): Promise<ParsedDocuments> {
  if (text.trimStart().startsWith('{')) {
    const { value, warnings } = await parseManifest(text, manifest);
    return { values: [value], warnings };
  }
  // Loaded on demand: the YAML library is larger than the rest of the package.
  const { parseYamlDocuments } = await import('./parse-yaml.ts');
  return parseYamlDocuments(text, manifest);
}
