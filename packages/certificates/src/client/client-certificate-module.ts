import { type AgentModule, contribute } from '@rxlet/agent-api';
import { nodeProblems } from '@rxlet/agent-api/journal';
import { expiryProblem } from '../expiry-problem.ts';
import type { CertificateManager } from '../manager/certificate-manager.ts';

/** Creates the agent module that reports a client certificate that is missing, expired or not renewed in time. The certificate belongs to the caller. */
export function clientCertificateProblems({ certificate }: Pick<CertificateManager, 'certificate'>): AgentModule {
  return {
    name: 'client-certificate',
    setup: ({ clock }) => ({
      contributions: [
        contribute(nodeProblems, {
          part: 'certificates',
          problem: () =>
            certificate.value === undefined
              ? 'there is no valid client certificate: the API server has not issued one yet'
              : expiryProblem('client certificate', certificate.value.certificatePem, clock.now()),
        }),
      ],
    }),
  };
}
