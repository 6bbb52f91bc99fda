import type { ObjectMeta } from '@rxlet/kube-api';
import { checkDnsLabel, checkDnsSubdomain, checkLabelValue, checkQualifiedName } from './names.ts';
import type { Report } from './report.ts';

/** What can be an element of a path. An API server makes UUIDs only; a manifest may name its own. */
const UID = /^[A-Za-z0-9][-A-Za-z0-9_.]{0,252}$/;
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Checks the metadata of a namespaced object. */
export function validateMetadata(metadata: ObjectMeta, at: string, report: Report): void {
  if (!metadata.name) report.required(`${at}.name`);
  else report.check(`${at}.name`, checkDnsSubdomain(metadata.name));
  if (!metadata.namespace) report.required(`${at}.namespace`);
  else report.check(`${at}.namespace`, checkDnsLabel(metadata.namespace));
  if (metadata.uid && !UID.test(metadata.uid)) {
    report.add(
      `${at}.uid`,
      'must begin with a letter or digit and have only letters, digits, "-", "_" and ".", 253 at most: directories are named by it',
    );
  }
  if ((metadata.generation ?? 0) < 0) report.add(`${at}.generation`, 'must not be negative');
  validateLabels(metadata.labels, `${at}.labels`, report);
  validateAnnotations(metadata.annotations, `${at}.annotations`, report);
  for (const owner of metadata.ownerReferences ?? []) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!owner[field]) report.required(`${at}.ownerReferences.${field}`);
    }
  }
  metadata.finalizers?.forEach((finalizer, index) =>
    report.check(`${at}.finalizers[${String(index)}]`, checkQualifiedName(finalizer)),
  );
}

/** Checks labels, or a node selector. */
export function validateLabels(labels: Readonly<Record<string, string>> = {}, at: string, report: Report): void {
  for (const [key, value] of Object.entries(labels)) {
    report.check(at, checkQualifiedName(key));
    report.check(at, checkLabelValue(value));
  }
}

function validateAnnotations(annotations: Readonly<Record<string, string>> = {}, at: string, report: Report): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    report.check(at, checkQualifiedName(key.toLowerCase()));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_ANNOTATION_BYTES) report.add(at, `have more than ${String(MAX_ANNOTATION_BYTES)} bytes in all`);
}
