import type { ConfigMap, Secret } from '@rxlet/kube-api';
import { decodeFields } from '../decode-fields.ts';
import { describeFields } from '@rxlet/pod-model/validation';
import { listSome } from '@rxlet/pod-model/validation';
import { ManifestError } from '../manifest-error.ts';
import { checkConfigKey, checkDnsSubdomain, checkDnsLabel } from '@rxlet/pod-model/validation';
import { createReport, type Report } from '@rxlet/pod-model/validation';

/** A ConfigMap or Secret from a manifest, with its namespace. */
export type ManifestObject =
  { readonly kind: 'ConfigMap'; readonly object: ConfigMap } | { readonly kind: 'Secret'; readonly object: Secret };

/** Kinds of objects that serve the pods of a folder. */
export type ManifestObjectKind = ManifestObject['kind'];

/** An object with the parts of its document that have no effect. */
export interface DecodedObject {
  readonly object: ManifestObject;
  readonly warnings: readonly string[];
}

/** Limit of the API for the data of one object. */
const MAX_DATA_BYTES = 1024 * 1024;

/** Returns the kind of a document that {@link decodeObject} decodes; `undefined` for any other. */
export function objectKindOf(value: unknown): ManifestObjectKind | undefined {
  const { apiVersion, kind } = (value ?? {}) as { apiVersion?: unknown; kind?: unknown };
  return apiVersion === 'v1' && (kind === 'ConfigMap' || kind === 'Secret') ? kind : undefined;
}

/**
 * Decodes a ConfigMap or Secret as an API server does: defaults, `stringData`, names of keys.
 * @throws {@link ManifestError}, whose message quotes no data
 */
export function decodeObject(value: object, kind: ManifestObjectKind, manifest: string): DecodedObject {
  const { value: fields, problems, unknownFields } = decodeFields(value, `io.k8s.api.core.v1.${kind}`);
  if (problems.length > 0) {
    const fieldProblems = problems.map(({ field }) => ({ field, message: 'has a value of another type' }));
    throw new ManifestError(
      'WrongFieldType',
      manifest,
      `not a valid ${kind}: ${describeFields(fieldProblems)}`,
      fieldProblems,
    );
  }
  const decoded = fields as ConfigMap & Secret;
  const report = createReport();
  const { name = '', namespace = 'default' } = decoded.metadata ?? {};
  if (name === '') report.required('metadata.name');
  else report.check('metadata.name', checkDnsSubdomain(name));
  report.check('metadata.namespace', checkDnsLabel(namespace));
  const metadata = { ...decoded.metadata, name, namespace };
  const object: ManifestObject =
    kind === 'Secret'
      ? { kind, object: withStringData({ ...decoded, metadata }) }
      : { kind, object: { ...decoded, metadata } };
  checkData(object, report);
  if (report.problems.length > 0) {
    const message = `invalid ${kind}: ${describeFields(report.problems)}`;
    throw new ManifestError('InvalidObject', manifest, message, report.problems);
  }
  const warnings =
    unknownFields.length === 0
      ? []
      : [`fields that a ${kind} does not have are ignored: ${listSome(unknownFields, ', ')}`];
  return { object, warnings };
}

/** Text of `stringData` wins over `data`, and is not kept as such. */
function withStringData({ stringData = {}, ...secret }: Secret): Secret {
  const texts: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  return { ...secret, type: secret.type ?? 'Opaque', data: { ...secret.data, ...texts } };
}

function checkData({ kind, object }: ManifestObject, report: Report): void {
  const parts = kind === 'Secret' ? { data: object.data } : { data: object.data, binaryData: object.binaryData };
  let bytes = 0;
  for (const [part, data] of Object.entries(parts)) {
    for (const [key, text] of Object.entries(data ?? {})) {
      report.check(`${part}[${key}]`, checkConfigKey(key));
      const isText = kind === 'ConfigMap' && part === 'data';
      bytes += isText ? Buffer.byteLength(text) : Buffer.from(text, 'base64').length;
    }
  }
  if (bytes > MAX_DATA_BYTES) report.add('data', `must have at most ${String(MAX_DATA_BYTES)} bytes`);
}
