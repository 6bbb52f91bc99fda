export { decideVerification, type VerificationFacts, type VerificationStep } from './records/decide-verification.ts';
export {
  createPullRecords,
  type PullEnd,
  type PullRecords,
  type PullRecordsOptions,
  type PullRecordsPorts,
} from './records/pull-records.ts';
export type {
  ImagePullCredentials,
  ImagePulledRecord,
  ImagePullSecret,
  ImagePullServiceAccount,
} from './records/record-format.ts';
export {
  createVerificationPolicy,
  type ImagePullCredentialsVerificationPolicy,
  type RequiresVerification,
  type VerificationOptions,
  VerificationPolicyError,
} from './records/verification-policy.ts';
