import type { ObjectMeta } from '@rxlet/kube-api';
import { checkDnsLabel, checkDnsSubdomain, checkLabelValue, checkQualifiedName } from './names.ts';
import type { Report } from './report.ts';

/** Matches UIDs that may be an element of a path. An API server creates UUIDs only; a manifest may name its own. */
const UID = /^[A-Za-z0-9][-A-Za-z0-9_.]{0,252}$/;
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Checks what identifies a pod on its node: name, namespace and UID become elements of paths. */
export function validateIdentity(metadata: ObjectMeta, at: string, report: Report): void {
  validateName(metadata, at, report);
  if (metadata.uid) validateUid(metadata.uid, at, report);
  else report.required(`${at}.uid`);
}

/** Checks the metadata of a namespaced object. */
export function validateMetadata(metadata: ObjectMeta, at: string, report: Report): void {
  // A final hyphen is followed by a generated part.
  const generatedName = metadata.generateName?.replace(/-$/, 'a');
  if (generatedName) report.check(`${at}.generateName`, checkDnsSubdomain(generatedName));
  validateName(metadata, at, report);
  if (metadata.uid) validateUid(metadata.uid, at, report);
  if ((metadata.generation ?? 0) < 0) report.add(`${at}.generation`, 'must not be negative');
  validateLabels(metadata.labels, `${at}.labels`, report);
  validateAnnotations(metadata.annotations, `${at}.annotations`, report);
  validateOwners(metadata.ownerReferences, `${at}.ownerReferences`, report);
  metadata.finalizers?.forEach((finalizer, index) =>
    report.check(`${at}.finalizers[${String(index)}]`, checkQualifiedName(finalizer)),
  );
}

function validateOwners(owners: ObjectMeta['ownerReferences'] = [], at: string, report: Report): void {
  for (const owner of owners) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!owner[field]) report.required(`${at}.${field}`);
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') report.add(at, 'must not contain an Event');
  }
  const controllers = owners.filter(({ controller }) => controller === true);
  if (controllers.length > 1) report.add(at, 'must have one controller at most');
}

function validateName({ name, namespace }: ObjectMeta, at: string, report: Report): void {
  if (!name) report.required(`${at}.name`);
  else report.check(`${at}.name`, checkDnsSubdomain(name));
  if (!namespace) report.required(`${at}.namespace`);
  else report.check(`${at}.namespace`, checkDnsLabel(namespace));
}

function validateUid(uid: string, at: string, report: Report): void {
  if (UID.test(uid)) return;
  const rule = 'must begin with a letter or digit and have only letters, digits, "-", "_" and ".", 253 at most';
  report.add(`${at}.uid`, `${rule}: directories are named by it`);
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
