import { testPlugin } from '@shallot/core/testing';
import { describe, expect, it } from 'vitest';

import { summarization } from './summarization.ts';
import { conversation, talker, texts } from './test-conversation.ts';

await testPlugin(summarization, { manifest: new URL('../package.json', import.meta.url) });

const small = { trigger: { messages: 6 }, keep: { messages: 2 }, truncateArguments: null } as const;

describe('A conversation that has grown', () => {
  it('goes on with a summary and its last messages', async () => {
    const model = talker();
    const talk = await conversation(model, small);
    for (const text of ['one', 'two', 'three', 'four']) await talk.say(text);
    expect(texts(model.requests.at(-1)?.messages ?? [])).toMatchInlineSnapshot(`
      [
        "user: The conversation up to here was condensed, because it had grown too long. All of it, word for word, is in the file /conversation_history/talk.md.

      <summary>
      Summary 1.
      </summary>",
        "assistant: Answer 2.",
        "user: four",
      ]
    `);
    expect(texts(await talk.messages())).toMatchInlineSnapshot(`
      [
        "user: The conversation up to here was condensed, because it had grown too long. All of it, word for word, is in the file /conversation_history/talk.md.

      <summary>
      Summary 1.
      </summary>",
        "assistant: Answer 2.",
        "user: four",
        "assistant: Answer 3.",
      ]
    `);
    const [section] = await talk.history();
    expect(section?.title).toMatch(/^Summarized at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(section?.messages.map(({ text }) => text)).toEqual([
      '### user\n\none',
      '### assistant\n\nAnswer 0.',
      '### user\n\ntwo',
      '### assistant\n\nAnswer 1.',
      '### user\n\nthree',
    ]);
    expect(talk.happened('summarized')).toMatchInlineSnapshot(`
      [
        {
          "dropped": 5,
          "kept": 2,
          "path": "/conversation_history/talk.md",
          "reason": "size",
          "tokensAfter": 122,
          "tokensBefore": 101,
        },
      ]
    `);
    expect(model.summaryRequests[0]?.messages[0]).toMatchInlineSnapshot(`
      {
        "content": [
          {
            "text": "<conversation>
      ### user

      one

      ### assistant

      Answer 0.

      ### user

      two

      ### assistant

      Answer 1.

      ### user

      three
      </conversation>

      Write the summary of this conversation now.",
            "type": "text",
          },
        ],
        "id": "summarization",
        "role": "user",
        "source": "summarization",
      }
    `);
    await talk.agent.close();
  });
});
