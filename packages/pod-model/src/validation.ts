export { listSome, shorten } from './validation/list-some.ts';
export { validateLocalNames } from './validation/local-names.ts';
export { validateIdentity, validateLabels, validateMetadata } from './validation/metadata.ts';
export {
  checkDnsLabel,
  checkDnsSubdomain,
  checkSearchDomain,
  checkQualifiedName,
  checkLabelValue,
  checkEnvName,
  checkConfigKey,
  checkPortName,
  checkPortNumber,
  checkHeaderName,
  checkIp,
  checkSysctlName,
  checkUserId,
  checkDescendingPath,
  checkVolumeFilePath,
  checkNoBacksteps,
  type NameCheck,
} from './validation/names.ts';
export { createReport, describeFields, type FieldProblem, type Report } from './validation/report.ts';
