export {
  clientCertificatePath,
  type ClientCertificateOptions,
  type ClientCertificatePorts,
  createClientCertificate,
} from './client/client-certificate.ts';
export { clientCertificateProblems } from './client/client-certificate-module.ts';
export type { CertificateConnection, CertificateManager } from './manager/certificate-manager.ts';
export type { CertificateClient } from './manager/request-certificate.ts';
export type { CertificateFiles } from './store/read-pair.ts';
export { servingCertificates, type ServingCertificatesOptions } from './serving/serving-certificate-module.ts';
export { CertificateError } from './x509/certificate.ts';
