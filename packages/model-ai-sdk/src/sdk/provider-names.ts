const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const callId = /^[A-Za-z0-9_-]{1,64}$/;
const mistralCallId = /^[A-Za-z0-9]{9}$/;

/** A tool's name as every provider takes it: a model may have called one that cannot be. */
export function safeToolName(name: string): string {
  if (toolName.test(name)) return name;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

/**
 * The id of a call as a provider takes it, the same for call and result: ids that one provider made, others may refuse.
 * Anthropic takes letters, digits, `_` and `-`, OpenAI at most 64 characters, Mistral nine letters and digits.
 */
export function callIdWriter(provider: string): (id: string) => string {
  if (!/^mistral\b/.test(provider)) return (id) => (callId.test(id) ? id : `call_${digest(id)}`);
  return (id) => (mistralCallId.test(id) ? id : digest(id).slice(0, 9));
}

/** 16 hexadecimal digits: two rounds of FNV-1a with different beginnings. */
function digest(text: string): string {
  return [0x811c9dc5, 0x01000193]
    .map((start) => {
      let hash = start;
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
      return (hash >>> 0).toString(16).padStart(8, '0');
    })
    .join('');
}
