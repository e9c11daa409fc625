/// Whole texts of the sample report, one for each format.
enum ReportGoldens {
  static let json = #"""
    {
    "schema":"settle-acceptance","version":1,"title":"sample & co",
    "environment":{"package":"kit 1.0","commit":null,"os":"Linux \"1\"","build":null,"kernel\#
    ":null,"architecture":"x86_64","cores":2,"swift":null,"configuration":null,"fileSystem":\#
    null,"caseSensitive":true,"freeBytes":78791041024,"seed":7},
    "totals":{"cells":4,"asExpected":1,"notAsExpected":1,"skipped":1,"inconclusive":0,"hung"\#
    :1,"crashed":0,"faultsPlanned":1,"faultsFired":1,"interruption":null,"accepted":false},
    "cells":[
    {"action":"import","fileType":"PDF","source":"link","fault":"disk full","fired":true,"ca\#
    ncelAt":null,"expected":"failed(noSpace)","actual":"failed(noSpace)","verdict":"asExpect\#
    ed","reason":"","counts":{"succeeded":0,"failed":1,"skipped":0,"cancelled":0},"bytes":0,\#
    "completions":1,"leftovers":[],"problems":[],"duration":0.012345,"schedule":null,"trace"\#
    :null},
    {"action":"import","fileType":"a<&\">'|`*\u001b[31m\u000a\#u{202E}fdp\u0000\#u{FFFE}]]>@\#
    x#1","source":"link","fault":null,"fired":null,"cancelAt":null,"expected":"succeeded","a\#
    ctual":"failed(ioError)","verdict":"notAsExpected","reason":"expected succeeded, ended a\#
    s failed(ioError); left behind: x<y","counts":null,"bytes":null,"completions":null,"left\#
    overs":["x<y"],"problems":[],"duration":0.012345,"schedule":"v1:a>b","trace":"t.jsonl"},
    {"action":"import","fileType":"text","source":"link","fault":null,"fired":null,"cancelAt\#
    ":null,"expected":"succeeded","actual":null,"verdict":"skipped","reason":"root may read e\#
    very file","counts":null,"bytes":null,"completions":null,"leftovers":[],"problems":[],"d\#
    uration":0.012345,"schedule":null,"trace":null},
    {"action":"import","fileType":"video","source":"link","fault":null,"fired":null,"cancelA\#
    t":null,"expected":"succeeded","actual":null,"verdict":"hung","reason":"it has not ended w\#
    ithin 1.0 seconds","counts":null,"bytes":null,"completions":null,"leftovers":[],"problem\#
    s":[],"duration":0.012345,"schedule":null,"trace":null}
    ]
    }

    """#

  static let junit = #"""
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="sample &amp; co" tests="4" failures="1" errors="1" skipped="1" time="0\#
    .049380">
      <testsuite name="sample &amp; co" tests="4" failures="1" errors="1" skipped="1" time="\#
    0.049380">
        <properties>
          <property name="package" value="kit 1.0"/>
          <property name="commit" value="unknown"/>
          <property name="os" value="Linux &quot;1&quot;"/>
          <property name="build" value="unknown"/>
          <property name="kernel" value="unknown"/>
          <property name="architecture" value="x86_64"/>
          <property name="cores" value="2"/>
          <property name="swift" value="unknown"/>
          <property name="configuration" value="unknown"/>
          <property name="fileSystem" value="unknown"/>
          <property name="caseSensitive" value="yes"/>
          <property name="freeBytes" value="78791041024"/>
          <property name="seed" value="7"/>
        </properties>
        <testcase classname="import" name="import: PDF, link, fault: disk full" time="0.0123\#
    45">
          <properties>
            <property name="fileType" value="PDF"/>
            <property name="source" value="link"/>
            <property name="fault" value="disk full"/>
            <property name="cancelAt" value="never"/>
            <property name="expected" value="failed(noSpace)"/>
            <property name="actual" value="failed(noSpace)"/>
            <property name="verdict" value="asExpected"/>
            <property name="fired" value="true"/>
            <property name="bytes" value="0"/>
            <property name="completions" value="1"/>
          </properties>
        </testcase>
        <testcase classname="import" name="import: a&lt;&amp;&quot;&gt;&#39;|`*\u{1B}[31m / \u\#
    {202E}fdp\u{0}\u{FFFE}]]&gt;@x#1, link" time="0.012345">
          <properties>
            <property name="fileType" value="a&lt;&amp;&quot;&gt;&#39;|`*\u{1B}[31m / \u{202\#
    E}fdp\u{0}\u{FFFE}]]&gt;@x#1"/>
            <property name="source" value="link"/>
            <property name="fault" value="none"/>
            <property name="cancelAt" value="never"/>
            <property name="expected" value="succeeded"/>
            <property name="actual" value="failed(ioError)"/>
            <property name="verdict" value="notAsExpected"/>
            <property name="leftover" value="x&lt;y"/>
            <property name="schedule" value="v1:a&gt;b"/>
            <property name="trace" value="t.jsonl"/>
          </properties>
          <failure message="expected succeeded, ended as failed(ioError); left behind: x&lt;\#
    y" type="notAsExpected">expected succeeded, ended as failed(ioError); left behind: x&lt;\#
    y</failure>
        </testcase>
        <testcase classname="import" name="import: text, link" time="0.012345">
          <properties>
            <property name="fileType" value="text"/>
            <property name="source" value="link"/>
            <property name="fault" value="none"/>
            <property name="cancelAt" value="never"/>
            <property name="expected" value="succeeded"/>
            <property name="actual" value="unknown"/>
            <property name="verdict" value="skipped"/>
          </properties>
          <skipped message="root may read every file"/>
        </testcase>
        <testcase classname="import" name="import: video, link" time="0.012345">
          <properties>
            <property name="fileType" value="video"/>
            <property name="source" value="link"/>
            <property name="fault" value="none"/>
            <property name="cancelAt" value="never"/>
            <property name="expected" value="succeeded"/>
            <property name="actual" value="unknown"/>
            <property name="verdict" value="hung"/>
          </properties>
          <error message="it has not ended within 1.0 seconds" type="hung">it has not ended w\#
    ithin 1.0 seconds</error>
        </testcase>
      </testsuite>
    </testsuites>

    """#

  static let markdown = #"""
    ## sample &amp; co: ❌ not accepted

    4 cells: 1 as expected, 1 not as expected, 1 skipped, 1 hung. Planned faults that happen\#
    ed: 1 of 1.

    ### Failed (2)

    - **import: a&lt;&amp;"&gt;'\|\`\*\\u{1B}\[31m / \\u{202E}fdp\\u{0}\\u{FFFE}\]\]&gt;&#64\#
    ;x&#35;1, link**: not as expected: expected succeeded, ended as failed(ioError); left be\#
    hind: x&lt;y
    - **import: video, link**: hung: it has not ended within 1.0 seconds

    ### Skipped, so not passed (1)

    - **import: text, link**: skipped: root may read every file

    | | as expected | not as expected | skipped | hung |
    |---|--:|--:|--:|--:|
    | import: link | 1 | 1 | 1 | 1 |

    <details><summary>Environment</summary>

    | | |
    |---|---|
    | Package | kit 1.0 |
    | Commit | unknown |
    | System | Linux "1" |
    | System build | unknown |
    | Kernel | unknown |
    | Architecture | x86\_64 |
    | Processors | 2 |
    | Swift | unknown |
    | Configuration | unknown |
    | File system | unknown |
    | Case-sensitive | yes |
    | Free bytes | 78791041024 |
    | Seed | 7 |

    </details>

    """#

  static let html = #"""
    </head>
    <body>
    <main>
    <h1>sample &amp; co</h1>
    <p class="verdict bad">Not accepted</p>
    <p>4 cells: 1 as expected, 1 not as expected, 1 skipped, 1 hung. Planned faults that hap\#
    pened: 1 of 1.</p>
    <h2>What failed (2)</h2>
    <ul class="told">
    <li><a href="#c2">import: a&lt;&amp;&quot;&gt;&#39;|`*\u{1B}[31m / \u{202E}fdp\u{0}\u{FF\#
    FE}]]&gt;@x#1, link</a>: not as expected. expected succeeded, ended as failed(ioError); l\#
    eft behind: x&lt;y</li>
    <li><a href="#c4">import: video, link</a>: hung. it has not ended within 1.0 seconds</li\#
    >
    </ul>
    <h2>Skipped, so not passed (1)</h2>
    <ul class="told">
    <li><a href="#c3">import: text, link</a>: skipped. root may read every file</li>
    </ul>
    <h2>Matrix</h2>
    <p class="legend"><span><b class="asExpected">✓</b> as expected</span> <span><b class="n\#
    otAsExpected">✗</b> not as expected</span> <span><b class="skipped">–</b> skipped</span> <\#
    span><b class="inconclusive">?</b> inconclusive</span> <span><b class="hung">∞</b> hung<\#
    /span> <span><b class="crashed">!</b> crashed</span></p>
    <div class="scroll" tabindex="0"><table class="matrix">
    <caption>import</caption>
    <thead><tr><td></td><th scope="col"><span>disk full</span></th><th scope="col"><span>und\#
    isturbed</span></th></tr></thead>
    <tbody>
    <tr><th scope="row">PDF, link</th><td><a class="asExpected" href="#c1" title="as expecte\#
    d" aria-label="as expected">✓</a></td><td></td></tr>
    <tr><th scope="row">a&lt;&amp;&quot;&gt;&#39;|`*\u{1B}[31m / \u{202E}fdp\u{0}\u{FFFE}]]&\#
    gt;@x#1, link</th><td></td><td><a class="notAsExpected" href="#c2" title="not as expecte\#
    d: expected succeeded, ended as failed(ioError); left behind: x&lt;y" aria-label="not as e\#
    xpected">✗</a></td></tr>
    <tr><th scope="row">text, link</th><td></td><td><a class="skipped" href="#c3" title="ski\#
    pped: root may read every file" aria-label="skipped">–</a></td></tr>
    <tr><th scope="row">video, link</th><td></td><td><a class="hung" href="#c4" title="hung: i\#
    t has not ended within 1.0 seconds" aria-label="hung">∞</a></td></tr>
    </tbody></table></div>
    <h2>Every cell</h2>
    <div class="scroll" tabindex="0"><table class="cells">
    <thead><tr><th scope="col">Cell</th><th scope="col">Verdict</th><th scope="col">Expected\#
    </th><th scope="col">Actual</th><th scope="col">Fault happened</th><th scope="col">Store\#
    d bytes</th><th scope="col">Completions</th><th scope="col">Seconds</th></tr></thead>
    <tbody>
    <tr id="c1"><th scope="row">import: PDF, link, fault: disk full</th><td class="asExpecte\#
    d">✓ as expected</td><td>failed(noSpace)</td><td>failed(noSpace)</td><td>yes</td><td>0</\#
    td><td>1</td><td>0.012345</td></tr>
    <tr id="c2"><th scope="row">import: a&lt;&amp;&quot;&gt;&#39;|`*\u{1B}[31m / \u{202E}fdp\u\#
    {0}\u{FFFE}]]&gt;@x#1, link</th><td class="notAsExpected">✗ not as expected: expected su\#
    cceeded, ended as failed(ioError); left behind: x&lt;y (schedule: v1:a&gt;b) (trace: t.j\#
    sonl)</td><td>succeeded</td><td>failed(ioError)</td><td></td><td></td><td></td><td>0.012\#
    345</td></tr>
    <tr id="c3"><th scope="row">import: text, link</th><td class="skipped">– skipped: root m\#
    ay read every file</td><td>succeeded</td><td></td><td></td><td></td><td></td><td>0.01234\#
    5</td></tr>
    <tr id="c4"><th scope="row">import: video, link</th><td class="hung">∞ hung: it has not e\#
    nded within 1.0 seconds</td><td>succeeded</td><td></td><td></td><td></td><td></td><td>0.\#
    012345</td></tr>
    </tbody></table></div>
    <h2>Environment</h2>
    <dl>
    <div><dt>Package</dt><dd>kit 1.0</dd></div>
    <div><dt>Commit</dt><dd><span class="unknown">unknown</span></dd></div>
    <div><dt>System</dt><dd>Linux &quot;1&quot;</dd></div>
    <div><dt>System build</dt><dd><span class="unknown">unknown</span></dd></div>
    <div><dt>Kernel</dt><dd><span class="unknown">unknown</span></dd></div>
    <div><dt>Architecture</dt><dd>x86_64</dd></div>
    <div><dt>Processors</dt><dd>2</dd></div>
    <div><dt>Swift</dt><dd><span class="unknown">unknown</span></dd></div>
    <div><dt>Configuration</dt><dd><span class="unknown">unknown</span></dd></div>
    <div><dt>File system</dt><dd><span class="unknown">unknown</span></dd></div>
    <div><dt>Case-sensitive</dt><dd>yes</dd></div>
    <div><dt>Free bytes</dt><dd>78791041024</dd></div>
    <div><dt>Seed</dt><dd>7</dd></div>
    </dl>
    </main>
    </body>
    </html>

    """#
}
