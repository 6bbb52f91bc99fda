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
  const manifest = 'file' in options.origin ? options.origin.file : options.origin.url;
  const { value, warnings } = parseManifest(text, manifest);
  checkKind(value, manifest);
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
  if (unknown.length === 0) return { pod, warnings };
  return { pod, warnings: [...warnings, `fields that a Pod does not have are ignored: ${listSome(unknown, ', ')}`] };
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
