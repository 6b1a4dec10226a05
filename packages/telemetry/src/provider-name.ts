/** The names of the conventions, by how a provider's own name begins. The AI SDK calls its models `openai.chat`, `anthropic.messages`. */
const KNOWN: readonly (readonly [own: string, conventional: string])[] = [
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['azure', 'azure.ai.openai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['google.vertex', 'gcp.vertex_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['google', 'gcp.gemini'],
  ['gemini', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
  ['groq', 'groq'],
  ['deepseek', 'deepseek'],
  ['cohere', 'cohere'],
  ['perplexity', 'perplexity'],
  ['moonshotai', 'moonshot_ai'],
];

/** `gen_ai.provider.name`: the conventions' name for a vendor that they know, otherwise the provider's own. */
export function providerName(own: string): string {
  const known = KNOWN.find(
    ([name]) => own === name || own.startsWith(`${name}.`) || own.startsWith(`${name}-`),
  );
  return known ? known[1] : own;
}
