import type { Container, EnvFromSource, EnvVar, EnvVarSource } from '@rxlet/kube-api';
import { validateFieldRef, validateResourceFieldRef } from './downward-api.ts';
import { checkConfigKey, checkDnsSubdomain, checkEnvName, checkVolumeFilePath } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';

/** Checks the environment of a container. */
export function validateEnv({ env, envFrom }: Pick<Container, 'env' | 'envFrom'>, at: string, report: Report): void {
  env?.forEach((variable, index) => validateVariable(variable, `${at}.env[${String(index)}]`, report));
  envFrom?.forEach((source, index) => validateEnvFrom(source, `${at}.envFrom`, index, report));
}

function validateVariable({ name, value, valueFrom }: EnvVar, at: string, report: Report): void {
  if (!name) report.required(`${at}.name`);
  else report.check(`${at}.name`, checkEnvName(name));
  if (valueFrom === undefined) return;
  const sources = validateSources(valueFrom, `${at}.valueFrom`, report);
  if (sources === 0)
    report.add(
      `${at}.valueFrom`,
      'must have one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef',
    );
  else if (value) report.add(`${at}.valueFrom`, 'must not be set beside value');
  else if (sources > 1) report.add(`${at}.valueFrom`, 'must have one source only');
}

/** @returns how many there are. */
function validateSources(from: EnvVarSource, at: string, report: Report): number {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = from;
  if (fieldRef) validateFieldRef(fieldRef, 'env', `${at}.fieldRef`, report);
  if (resourceFieldRef) validateResourceFieldRef(resourceFieldRef, 'env', `${at}.resourceFieldRef`, report);
  for (const [field, ref] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (ref === undefined) continue;
    report.check(`${at}.${field}.name`, checkDnsSubdomain(ref.name ?? ''));
    validateKey(ref.key, `${at}.${field}.key`, report);
  }
  if (fileKeyRef) {
    validateKey(fileKeyRef.key, `${at}.fileKeyRef.key`, report);
    if (!fileKeyRef.volumeName) report.required(`${at}.fileKeyRef.volumeName`);
    if (!fileKeyRef.path) report.required(`${at}.fileKeyRef.path`);
    else report.check(`${at}.fileKeyRef.path`, checkVolumeFilePath(fileKeyRef.path));
  }
  return [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter((source) => source).length;
}

function validateKey(key: string | undefined, at: string, report: Report): void {
  if (!key) report.required(at);
  else report.check(at, checkConfigKey(key));
}

function validateEnvFrom(
  { prefix, configMapRef, secretRef }: EnvFromSource,
  list: string,
  index: number,
  report: Report,
): void {
  const at = `${list}[${String(index)}]`;
  if (prefix) report.check(`${at}.prefix`, checkEnvName(prefix));
  for (const [field, ref] of Object.entries({ configMapRef, secretRef })) {
    if (ref !== undefined) report.check(`${at}.${field}.name`, checkDnsSubdomain(ref.name ?? ''));
  }
  if (!configMapRef && !secretRef) report.add(list, 'must have configMapRef or secretRef in each entry');
  if (configMapRef && secretRef) report.add(list, 'must have one source only in each entry');
}
