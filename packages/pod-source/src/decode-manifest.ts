import type { Pod } from '@rxlet/kube-api';
import { apiReferenceOf } from './api-references.ts';
import { decodeFields, isObject } from './decode-fields.ts';
import { defaultPod } from './default-pod.ts';
import { listSome } from './list-some.ts';
import { type FieldProblem, ManifestError, type ManifestErrorReason } from './manifest-error.ts';
import { parseManifest } from './parse-manifest.ts';
import { makeStaticPod, type StaticPodOptions } from './static-pod.ts';
import { validatePod, type ValidatePodOptions } from './validation/validate-pod.ts';

/** Options of {@link decodeManifest}. */
export interface DecodeManifestOptions extends StaticPodOptions, ValidatePodOptions {}

/** A pod from a manifest. */
export interface DecodedManifest {
  readonly pod: Pod;
  /** What has no effect, such as unknown fields; one line for each sort of slip, without the manifest's name. */
  readonly warnings: readonly string[];
}

/**
 * Makes the pod of a manifest, as a kubelet does: YAML or JSON, fields by their types, defaults, the identity of a static pod, the API's validation.
 *
 * @throws {@link ManifestError}
 */
export function decodeManifest(text: string, options: DecodeManifestOptions): DecodedManifest {
  const manifest = nameOf(options);
  const { value, warnings } = parseManifest(text, manifest);
  checkKind(value, manifest);
  const decoded = decodePod(value, manifest, options);
  return { pod: decoded.pod, warnings: [...warnings, ...decoded.warnings] };
}

/** The same for a manifest that may also be a `PodList`. One bad pod spoils the list: what is meant by the rest of it is anybody's guess. */
export function decodeManifestList(
  text: string,
  options: DecodeManifestOptions,
): { readonly pods: readonly Pod[]; readonly warnings: readonly string[] } {
  const manifest = nameOf(options);
  const { value, warnings } = parseManifest(text, manifest);
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
    // The items of a list may leave out what the list says.
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

/** Makes a pod of what {@link checkKind} let pass. */
function decodePod(value: object, manifest: string, options: DecodeManifestOptions): DecodedManifest {
  const decoded = decodeFields(value, 'io.k8s.api.core.v1.Pod');
  if (decoded.problems.length > 0) throw fieldError('WrongFieldType', manifest, 'not a valid pod', decoded.problems);
  const written = decoded.value as Pod;
  if (!written.metadata?.name) {
    const problem = { field: 'metadata.name', message: 'name is needed for the pod' };
    throw new ManifestError('InvalidPod', manifest, `invalid pod: ${problem.message}; set metadata.name`, [problem]);
  }
  // The UID comes from what is written, not from the defaults: a new version of the agent must not replace pods that run.
  const pod = defaultPod(makeStaticPod(written, options));
  const problems = validatePod(pod, options);
  if (problems.length > 0) throw fieldError('InvalidPod', manifest, 'invalid pod', problems);
  const reference = apiReferenceOf(pod);
  if (reference !== undefined) {
    throw new ManifestError(
      'ReferencesApiObjects',
      manifest,
      `static pods may not reference ${reference}; remove the reference, or create the pod through an API server`,
    );
  }
  const unknown = decoded.unknownFields;
  const warnings =
    unknown.length === 0 ? [] : [`fields that a Pod does not have are ignored: ${listSome(unknown, ', ')}`];
  return { pod, warnings };
}

function fieldError(
  reason: ManifestErrorReason,
  manifest: string,
  what: string,
  problems: readonly FieldProblem[],
): ManifestError {
  const listed = listSome(
    problems.map(({ field, message }) => `${field}: ${message}`),
    '; ',
  );
  return new ManifestError(reason, manifest, `${what}: ${listed}`, problems);
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
  throw new ManifestError('NotAPod', manifest, `holds a ${found}; expected a v1 Pod${adviceFor(kind)}`);
}

/** What people put into a manifest folder by mistake. */
function adviceFor(kind: string): string {
  if (kind === 'Pod') return ', so set apiVersion: v1';
  if (kind.endsWith('List')) return ': put each of its pods into a file of its own';
  if (['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet', 'Job', 'CronJob'].includes(kind)) {
    return `: a node runs single pods, so make a Pod of the template of the ${kind}, or create it through an API server`;
  }
  return ': other objects need an API server';
}
